// One outcome from trial to trial: the best feasible so far as a line, every trial by its look, with zoom.
import { button, choice, el, labelled, nice, visible } from "./dom.js";
import { axisOver, legend, panelIn } from "./figure.js";
import { hint, lookOf, marksOf, valueOf } from "./looks.js";

// A range that a few far values do not spoil: they are drawn at the edge.
function reach(values, label, log) {
  const sorted = values.filter((v) => v !== null && (!log || v > 0)).sort((a, b) => a - b);
  const at = (q) => sorted[Math.round(q * (sorted.length - 1))];
  if (log) return { kind: "log", low: (sorted[0] ?? 0.1) / 1.15, high: (sorted.at(-1) ?? 1) * 1.15, label };
  const far = 3 * (at(0.75) - at(0.25)) || Infinity;
  return axisOver(sorted.map((v) => Math.min(Math.max(v, at(0.25) - far), at(0.75) + far)), label);
}

// The best feasible value so far, at each trial.
export function bestSoFar(trials, problem) {
  const sign = problem.goal === "maximize" ? -1 : 1;
  const name = problem.outcomes[0].name;
  let best = null;
  return trials.map((trial) => {
    const value = lookOf(trial) === "feasible" ? valueOf(trial, name) : null;
    if (value !== null && (best === null || sign * value < sign * best)) best = value;
    return best;
  });
}

export function convergence(host, page) {
  const { study } = page;
  let outcome = 0;
  let log = false;
  const figure = el("div", { class: "plot", tabindex: "0", role: "img" });
  const tools = el("div", { class: "tools" });
  const keys = el("div");
  host.append(tools, figure, keys);
  const plot = panelIn(figure, {
    height: () => (window.innerWidth < 600 ? 300 : 380),
    left: 72,
    page,
    zooms: true,
    words: ({ trial }) => trial && hint(study.trials[trial - 1], study.problem),
    press: ({ trial }) => trial && page.pick(trial),
  });

  function show() {
    const { trials, problem } = study;
    const { name, title, min, max } = problem.outcomes[outcome];
    const values = trials.map((trial) => valueOf(trial, name));
    const marks = marksOf(trials, trials.length > 1500 ? 2.2 : trials.length > 300 ? 3 : 4, (trial) => [trial.trial, values[trial.trial - 1]]);
    const line = outcome
      ? { kind: "rule", level: true, ink: "limit", width: 1.5, dash: [6, 4], y: [min, max].filter((limit) => limit !== null), key: "limit" }
      : { kind: "steps", ink: "best", width: 2.5, x: trials.map((_, i) => i + 1), y: bestSoFar(trials, problem), key: "best feasible so far" };
    plot.show({ grid: true, x: { kind: "integer", low: 0.5, high: Math.max(trials.length, 1) + 0.5, label: "trial" }, y: reach(values, title, log), layers: [line, ...marks] });

    const best = study.summary.best_feasible;
    figure.setAttribute("aria-label", `${visible(name)} of ${trials.length} trials. ${best ? `Best feasible: trial ${best.trial}, ${nice(best.objective)}. ` : ""}Arrow keys go from trial to trial.`);
    keys.replaceChildren(legend([...marks.reverse(), line]));
  }

  function arrange() {
    const logged = el("input", { type: "checkbox", checked: log, change: () => ((log = logged.checked), plot.all(), show()) });
    tools.replaceChildren(
      labelled("outcome", choice(study.problem.outcomes.map((o, i) => [i, o.name]), outcome, (value) => ((outcome = Number(value)), plot.all(), show()))),
      el("label", { class: "control" }, logged, "log scale"),
      el(
        "span",
        { class: "group", role: "group", "aria-label": "zoom" },
        button("+", () => plot.zoom(0.5), { "aria-label": "zoom in" }),
        button("−", () => plot.zoom(2), { "aria-label": "zoom out" }),
        button("all", plot.all, { "aria-label": "show all trials" }),
      ),
      el("span", { class: "note" }, "Drag to zoom; double-click to see all."),
    );
  }

  figure.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const last = study.trials.length;
    if (!step || !last) return;
    event.preventDefault();
    page.pick(Math.min(Math.max((page.picked || (step > 0 ? 0 : last + 1)) + step, 1), last));
  });

  let said = "";
  return {
    update() {
      // Another problem: from the beginning.
      if (said !== study.said) {
        said = study.said;
        outcome = 0;
        plot.all();
        arrange();
      }
      show();
    },
    redraw: show,
  };
}
