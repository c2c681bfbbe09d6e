// All studies: how each stands, kept up to date, and several of them compared.
import { axisOver, panelIn } from "./figure.js";
import { bestSoFar } from "./convergence.js";
import { ago, chance, choice, el, ink, labelled, nice, title, visible } from "./dom.js";
import { Refused, Study, getJson, getLines, listen } from "./api.js";
import { rounds } from "./rounds.js";

const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3], [4, 2]];
const colour = (k) => `series-${(k % 10) + 1}`;

const heads = ["study", "state", "evaluations", "best feasible", "probability", "best so far", "last result"];

// The best so far as a small line, from trial to trial.
function spark({ improvements = [], trials }) {
  const [first, last] = [improvements[0]?.[1], improvements.at(-1)?.[1]];
  const span = Math.abs(last - first);
  if (!(span > 0) || span === Infinity) return "";
  const place = ([number, value]) => [2 + (96 * (number - 1)) / trials, 18 - (16 * Math.abs(value - first)) / span];
  const steps = improvements.map(place).map(([x, y], i) => (i ? `H${x}V${y}` : `M${x} ${y}`));
  const make = (tag, attributes) => Object.entries(attributes).reduce((node, [name, value]) => (node.setAttribute(name, value), node), document.createElementNS("http://www.w3.org/2000/svg", tag));
  const svg = make("svg", { class: "spark", viewBox: "0 0 100 20", role: "img", "aria-label": "the best so far, from trial to trial" });
  svg.append(make("path", { class: "s-best", fill: "none", d: `${steps.join("")}H98` }));
  return svg;
}

// What is quick to know of a study; nothing of one that could never be read.
function cells(s, probability) {
  if (s.state === undefined) return [el("td", { class: "why", colspan: 6 }, visible(s.trouble))];
  const spent = s.spent ?? s.evaluations;
  const bar = s.budget ? el("progress", { max: s.budget, value: Math.min(spent, s.budget), "aria-label": "how much of the budget" }) : null;
  return [
    el("td", { class: "left" }, visible(s.trouble ?? s.state)),
    el("td", {}, nice(spent) + (s.budget ? ` of ${s.budget}` : ""), bar),
    el("td", {}, s.best_feasible ? nice(s.best_feasible.objective, 6) : "–"),
    probability,
    el("td", { class: "left" }, spark(s)),
    el("td", { class: "left", title: s.last_result }, s.last_result ? ago(s.last_result) : "–"),
  ];
}

export function indexPage(say) {
  const chosen = new Map(); // id → Study
  const rows = new Map(); // id → {row, probability, text, revision}
  const list = el("tbody");
  const head = el("tr", {}, el("th", { scope: "col", class: "left" }, el("span", { class: "hidden-words" }, "compare")), ...heads.map((words, k) => el("th", { scope: "col", class: [1, 5, 6].includes(k) ? "left" : null }, words)));
  head.children[5].title = "of the recommended design being feasible";
  document.querySelector("header").append(el("h1", {}, "Studies"));
  document.getElementById("main").append(el("div", { class: "wide", id: "studies" }, el("table", {}, el("thead", {}, head), list)));
  title("Studies");
  const compare = el("section", { id: "compare", hidden: true, "aria-labelledby": "compare-title" });
  document.getElementById("main").append(compare);
  const figure = el("div", { class: "plot" });
  let against = "trial";
  const plot = panelIn(figure, { height: () => (window.innerWidth < 600 ? 280 : 360), left: 72, zooms: true }, { role: "img" });

  compare.append(
    el("h2", { id: "compare-title" }, "Compared"),
    el("div", { class: "tools" }, labelled("against", choice([["trial", "trials"], ["seconds", "seconds of evaluation"]], against, (value) => ((against = value), plot.all(), draw()))), el("span", { class: "note" }, "The best feasible so far; drag to zoom, double-click to see all.")),
    figure,
    el("ul", { class: "legend" }),
  );

  // The best so far of a study over what was spent.
  function curve(study, k) {
    const best = bestSoFar(study.trials, study.problem);
    const layer = { kind: "steps", ink: colour(k), width: 2, dash: dashes[k % dashes.length], x: [], y: [] };
    let spent = 0;
    study.trials.forEach((trial, i) => {
      if (trial.state === "discarded" || trial.state === "pending") return;
      spent += against === "trial" ? 1 : (trial.seconds ?? 0);
      layer.x.push(spent);
      layer.y.push(best[i]);
    });
    return layer;
  }

  function draw() {
    const studies = [...chosen.values()].filter((study) => study.problem);
    compare.hidden = !studies.length;
    if (!studies.length) return;
    const layers = studies.map(curve);
    const titles = new Set(studies.map((s) => s.problem.outcomes[0].title));
    plot.show({
      grid: true,
      x: { ...axisOver(layers.flatMap((l) => l.x), against === "trial" ? "trial" : "seconds", 0.02), kind: against === "trial" ? "integer" : "linear" },
      y: axisOver(layers.flatMap((l) => l.y), titles.size === 1 ? [...titles][0] : "objective"),
      layers,
    });
    plot.canvas.setAttribute("aria-label", `the best feasible so far of ${studies.length} studies`);
    const entry = (study, k) => {
      const key = el("span", { class: "swatch", "aria-hidden": "true" });
      key.style.borderTop = `3px ${k % dashes.length ? "dashed" : "solid"} ${ink(colour(k))}`;
      return el("li", {}, key, visible(study.problem.study));
    };
    compare.querySelector("ul").replaceChildren(...studies.map(entry));
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

  // A row with a box to choose the study by.
  function addRow({ id, study }) {
    const box = el("input", { type: "checkbox", "aria-label": `compare ${visible(study)}`, change: () => take(id, box.checked) });
    const link = el("a", { href: `/study/${id}` }, el("span", { class: "name", title: visible(study) }, visible(study)));
    const found = { row: el("tr", {}, el("td", { class: "left" }, box), el("td", {}, link)), probability: el("td", { class: "chance" }), text: "", revision: -1 };
    rows.set(id, found);
    list.append(found.row);
    return found;
  }

  // What has changed is another; what somebody has gone to stays.
  function show(summaries) {
    for (const summary of summaries) {
      const found = rows.get(summary.id) ?? addRow(summary);
      if (found.text === JSON.stringify(summary)) continue;
      found.text = JSON.stringify(summary);
      while (found.row.children.length > 2) found.row.lastChild.remove();
      found.row.append(...cells(summary, found.probability));
    }
  }

  // The probabilities need models: one study after the other, those that have changed.
  async function addChances(summaries) {
    for (const { id, revision, complete } of summaries) {
      const found = rows.get(id);
      if (!complete || found.revision === revision || document.hidden) continue;
      try {
        found.probability.textContent = chance((await getJson(`studies/${id}/recommend`)).probability_feasible);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        found.probability.textContent = "–";
      }
      found.revision = revision;
    }
  }

  const work = rounds(async () => {
    const summaries = await getLines("studies");
    show(summaries);
    say(true);
    if (chosen.size) await refreshChosen();
    await addChances(summaries);
  }, 700);

  listen(null, work, say);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  work();
}
