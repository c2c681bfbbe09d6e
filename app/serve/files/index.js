// All studies: the list that the server draws, kept up to date, and several of them compared.
import { axis, bestSoFar, numbers } from "./convergence.js";
import { ago, chance, choice, el, ink, labelled, visible } from "./dom.js";
import { Refused, Study, getJson, getLines, getPart, listen } from "./api.js";
import { lookOf } from "./looks.js";
import { rounds } from "./rounds.js";

const uPlot = window.uPlot;
const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3], [4, 2]];
const colour = (k) => ink(`series-${(k % 10) + 1}`);

export function indexPage(say) {
  const chosen = new Map(); // id → Study
  const chances = new Map(); // id → [revision, text]
  const compare = el("section", { id: "compare", hidden: true, "aria-labelledby": "compare-title" });
  document.getElementById("main").append(compare);
  const figure = el("div", { class: "plot", role: "img" });
  let against = "trial";
  let plot = null;

  compare.append(
    el("h2", { id: "compare-title" }, "Compared"),
    el("div", { class: "tools" }, labelled("against", choice([["trial", "trials"], ["seconds", "seconds of evaluation"]], against, (value) => ((against = value), draw()))), el("span", { class: "note" }, "The best feasible so far; drag to zoom, double-click to see all.")),
    figure,
    el("ul", { class: "legend" }),
  );

  // The best so far of each study over what was spent.
  function curve(study) {
    const best = bestSoFar(study.trials, study.problem);
    let spent = 0;
    const points = [];
    study.trials.forEach((trial, i) => {
      if (trial.state === "discarded" || lookOf(trial) === "pending") return;
      spent += against === "trial" ? 1 : (trial.seconds ?? 0);
      points.push([spent, best[i]]);
    });
    return [points.map(([x]) => x), points.map(([, y]) => y)];
  }

  function draw() {
    const studies = [...chosen.values()].filter((study) => study.problem);
    compare.hidden = !studies.length;
    plot?.destroy();
    plot = null;
    if (!studies.length) return;
    const curves = studies.map(curve);
    const names = new Set(studies.map((s) => s.problem.outcomes[0].title));
    plot = new uPlot(
      {
        width: Math.max(figure.clientWidth, 200),
        height: window.innerWidth < 600 ? 280 : 360,
        legend: { show: false },
        cursor: { drag: { x: true, y: true, uni: 25 } },
        scales: { x: { time: false } },
        axes: [axis(against === "trial" ? "trial" : "seconds", { size: 30 }), axis(names.size === 1 ? visible([...names][0]) : "objective", { size: 66, values: numbers })],
        series: [{}, ...studies.map((study, k) => ({ label: visible(study.problem.study), stroke: () => colour(k), dash: dashes[k % dashes.length], width: 2, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false }, spanGaps: true }))],
      },
      uPlot.join(curves),
      figure,
    );
    figure.setAttribute("aria-label", `the best feasible so far of ${studies.length} studies`);
    compare.querySelector("ul").replaceChildren(
      ...studies.map((study, k) => {
        const key = el("span", { class: "swatch", "aria-hidden": "true" });
        key.style.borderTopColor = colour(k);
        key.style.borderTopStyle = k % dashes.length ? "dashed" : "solid";
        return el("li", {}, key, visible(study.problem.study));
      }),
    );
  }

  async function take(id, wanted) {
    if (wanted) chosen.set(id, new Study(id));
    else chosen.delete(id);
    await refreshChosen();
  }

  async function refreshChosen() {
    for (const study of chosen.values()) await study.update();
    draw();
  }

  // A box to choose each study by, and where it was chosen it stays so.
  function addBoxes(table) {
    table.querySelector("thead tr").prepend(el("th", { scope: "col", class: "left" }, el("span", { class: "hidden-words" }, "compare")));
    for (const row of table.querySelectorAll("tbody tr")) {
      const id = Number(row.dataset.study);
      const name = row.querySelector("a").textContent;
      const box = el("input", { type: "checkbox", "aria-label": `compare ${name}`, change: () => take(id, box.checked) });
      box.checked = chosen.has(id);
      row.prepend(el("td", { class: "left" }, box));
      const moment = row.lastElementChild;
      if (!Number.isNaN(Date.parse(moment.textContent))) {
        moment.title = moment.textContent;
        moment.textContent = ago(moment.textContent);
      }
      const cell = row.querySelector(".chance");
      if (cell && chances.has(id)) cell.textContent = chances.get(id)[1];
    }
  }

  // The probabilities need models: one study after the other, those that have changed.
  async function addChances(summaries) {
    for (const { id, revision, complete } of summaries) {
      const cell = document.querySelector(`#studies tr[data-study="${id}"] .chance`);
      if (!cell || !complete || chances.get(id)?.[0] === revision || document.hidden) continue;
      try {
        const { probability_feasible } = await getJson(`studies/${id}/recommend`);
        chances.set(id, [revision, chance(probability_feasible)]);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        chances.set(id, [revision, "–"]);
      }
      const now = document.querySelector(`#studies tr[data-study="${id}"] .chance`);
      if (now) now.textContent = chances.get(id)[1];
    }
  }

  const work = rounds(async () => {
    const table = (await getPart("/part/studies")).find((node) => node.id === "studies");
    if (!table) return;
    const focused = document.activeElement?.closest?.("#studies tr")?.dataset.study;
    const scrolled = document.getElementById("studies").scrollTop;
    addBoxes(table);
    document.getElementById("studies").replaceWith(table);
    table.scrollTop = scrolled;
    if (focused) table.querySelector(`tr[data-study="${focused}"] input`)?.focus();
    say(true);
    if (chosen.size) await refreshChosen();
    await addChances(await getLines("studies"));
  }, 700);

  listen(null, work, say);
  new ResizeObserver(() => plot && figure.clientWidth > 0 && figure.clientWidth !== plot.width && plot.setSize({ width: figure.clientWidth, height: plot.height })).observe(figure);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  work();
}
