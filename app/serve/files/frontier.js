// The objective against the probability of feasibility: what each bit of safety costs, and what is recommended.
import { chance, el, estimate, nice } from "./dom.js";
import { getJson, getLines } from "./api.js";
import { panelIn } from "./figure.js";

export function frontier(host, page) {
  let points = [];
  host.append(el("p", {}, "How good the objective is predicted to be if a design must be feasible with some probability (±2 standard deviations), and the design that is recommended. Choose a point to look around it."));
  const box = el("div", { class: "canvas", hidden: true });
  const list = el("ol", { class: "points", "aria-label": "designs by probability" });
  host.append(box, list);
  const words = ({ probability, recommendation: r }) => `at least ${probability}: ${estimate(r.objective.mean, r.objective.sd)}`;
  const go = ({ probability, recommendation: r }) => page.explore(r.parameters, `what is best with probability ${probability}`);
  const press = ({ layer, i }) => layer?.shape === "circle" && go(points.filter((p) => p.recommendation)[i]);
  const plot = panelIn(box, { height: (width) => (width < 600 ? 260 : 320), left: 76, page, press }, { role: "img" });
  plot.canvas.setAttribute("aria-label", "the best predicted objective for each probability of being feasible; the list below has the numbers");

  function show() {
    const r = page.recommendation;
    const entry = (p) => (p.recommendation ? el("button", { type: "button", click: () => go(p), title: "look around this design" }, words(p)) : el("span", { class: "note" }, `at least ${p.probability}: no design is`));
    list.replaceChildren(...points.map((p) => el("li", {}, entry(p))));
    if (r) list.append(el("li", { class: "note" }, `★ recommended: ${nice(r.objective.mean)}, feasible with probability ${chance(r.probability_feasible)}`));
  }

  return {
    async update() {
      points = await getLines(page.study.path("frontier"));
      show();
      box.hidden = !points.some((p) => p.recommendation);
      if (!box.hidden) plot.show((await getJson(page.study.path('figure?of={"kind":"frontier"}'))).figure.panels[0]);
    },
    redraw: plot.redraw,
  };
}
