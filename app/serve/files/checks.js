// Each value as its model predicts it from all the other designs, against what was measured.
import { Refused, getJson } from "./api.js";
import { el, visible } from "./dom.js";
import { panelIn } from "./figure.js";

export function checks(host, page) {
  const panels = new Map(); // by the outcome's name
  const grid = el("div", { class: "figures" });
  host.append(
    el("p", {}, "Each value as its model predicts it from all the other designs, ±2 standard deviations of a measurement. With a good model about 95 of 100 bars cross the diagonal; those that do not are diamonds."),
    grid,
  );

  function addPanel() {
    const [title, words] = [el("h3"), el("figcaption")];
    const box = el("figure", { class: "small" }, title);
    const plot = panelIn(box, { height: 300, left: 64, page, press: ({ trial }) => trial && page.pick(trial) }, { role: "img" });
    box.append(words);
    grid.append(box);
    return { box, title, words, plot };
  }

  async function show(name, { title, words, plot }) {
    const of = encodeURIComponent(JSON.stringify({ kind: "residuals", outcome: name }));
    title.textContent = visible(name);
    try {
      const [panel] = (await getJson(page.study.path(`figure?of=${of}`))).figure.panels;
      words.textContent = visible(panel.note);
      plot.show(panel);
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 409) throw error;
      words.textContent = visible(error.message);
    }
    plot.canvas.setAttribute("aria-label", `${visible(name)}: ${words.textContent}`);
  }

  return {
    async update() {
      const names = page.study.problem.outcomes.map((o) => o.name);
      for (const [name, { box }] of panels) if (!names.includes(name)) box.remove(), panels.delete(name);
      for (const name of names) {
        if (!panels.has(name)) panels.set(name, addPanel());
        await show(name, panels.get(name));
      }
    },
    redraw: () => panels.forEach(({ plot }) => plot.redraw()),
  };
}
