// One outcome from trial to trial: the best feasible so far as a line, every trial by its look, with zoom.
import { button, choice, el, ink, labelled, nice, visible } from "./dom.js";
import { countLooks, legend, line, lookOf, marker, ring, valueOf } from "./looks.js";

const uPlot = window.uPlot;
const wholes = [1, 2, 5].flatMap((k) => Array.from({ length: 7 }, (_, e) => k * 10 ** e)).sort((a, b) => a - b);
const tall = () => (window.innerWidth < 600 ? 300 : 380);

// What uPlot is told about an axis in the page's colours.
export const axis = (label, more = {}) => ({
  label,
  labelSize: 18,
  labelGap: 0,
  labelFont: "12px system-ui, sans-serif",
  font: "12px system-ui, sans-serif",
  stroke: () => ink("soft"),
  grid: { stroke: () => ink("grid"), width: 1 },
  ticks: { stroke: () => ink("rule"), width: 1, size: 5 },
  ...more,
});

export const numbers = (u, splits) => splits.map((v) => (v === null ? "" : nice(v, 5)));

// A range that a few far values do not spoil: they are drawn at the edge.
function rangeOf(values, log) {
  const sorted = values.filter((v) => v !== null && (!log || v > 0)).sort((a, b) => a - b);
  if (!sorted.length) return log ? [0.1, 1] : [0, 1];
  const at = (q) => sorted[Math.round(q * (sorted.length - 1))];
  let low = sorted[0];
  let high = sorted.at(-1);
  if (log) return low === high ? [low / 2, high * 2] : [low / 1.15, high * 1.15];
  const middle = at(0.75) - at(0.25);
  if (middle > 0) {
    high = Math.min(high, at(0.75) + 3 * middle);
    low = Math.max(low, at(0.25) - 3 * middle);
  }
  const air = 0.06 * (high - low) || Math.abs(high) * 0.1 || 1;
  return [low - air, high + air];
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
  let outcome = 0;
  let log = false;
  let plot = null;
  let trials = [];
  let values = [];
  let zoomed = false;
  const figure = el("div", { class: "plot", tabindex: "0", role: "img" });
  const tools = el("div", { class: "tools" });
  const keys = el("div");
  host.append(tools, figure, keys);

  const edge = (u, value) => Math.min(Math.max(value, u.scales.y.min), u.scales.y.max);

  // Every trial; those without a value stand at the lower edge.
  function drawTrials(u) {
    const c = u.ctx;
    const ratio = uPlot.pxRatio;
    const { left, top, width, height } = u.bbox;
    const many = trials.length > 1500 ? 2.2 : trials.length > 300 ? 3 : 4;
    c.save();
    c.beginPath();
    c.rect(left - 6 * ratio, top - 6 * ratio, width + 12 * ratio, height + 12 * ratio);
    c.clip();
    const place = (i) => {
      const x = u.valToPos(i + 1, "x", true);
      const value = values[i];
      const y = value === null || (log && value <= 0) ? top + height - 8 * ratio : u.valToPos(edge(u, value), "y", true);
      return [x / ratio, y / ratio];
    };
    c.scale(ratio, ratio);
    const mark = marker(trials.length);
    const [first, last] = [Math.max(Math.ceil(u.scales.x.min) - 1, 0), Math.min(Math.floor(u.scales.x.max), trials.length)];
    for (const wanted of ["discarded", "pending", "unknown", "infeasible", "failed", "running", "feasible"])
      for (let i = first; i < last; i++) if (lookOf(trials[i]) === wanted) mark(c, wanted, ...place(i), many);
    if (page.picked && trials[page.picked - 1]) ring(c, ...place(page.picked - 1));
    c.restore();
  }

  function drawLimits(u) {
    const { min, max } = page.study.problem.outcomes[outcome];
    if (!outcome) return;
    const c = u.ctx;
    c.save();
    c.strokeStyle = ink("limit");
    c.setLineDash([6, 4]);
    c.lineWidth = 1.5 * uPlot.pxRatio;
    for (const limit of [min, max]) {
      if (limit === null || limit < u.scales.y.min || limit > u.scales.y.max) continue;
      const y = u.valToPos(limit, "y", true);
      c.beginPath();
      c.moveTo(u.bbox.left, y);
      c.lineTo(u.bbox.left + u.bbox.width, y);
      c.stroke();
    }
    c.restore();
  }

  // The trial under the cursor, by both coordinates.
  function nearest(u) {
    const { left, top } = u.cursor;
    if (left < 0) return 0;
    let found = 0;
    let least = 400;
    const first = Math.max(Math.floor(u.posToVal(left - 20, "x")), 1);
    const last = Math.min(Math.ceil(u.posToVal(left + 20, "x")), trials.length);
    for (let n = first; n <= last; n++) {
      const value = values[n - 1];
      const y = value === null || (log && value <= 0) ? u.bbox.height / uPlot.pxRatio - 8 : u.valToPos(edge(u, value), "y");
      const far = (u.valToPos(n, "x") - left) ** 2 + (y - top) ** 2;
      if (far < least) [least, found] = [far, n];
    }
    return found;
  }

  function make() {
    const { outcomes } = page.study.problem;
    plot?.destroy();
    zoomed = false;
    const best = outcome === 0 ? "best" : null;
    plot = new uPlot(
      {
        width: Math.max(figure.clientWidth, 200),
        height: tall(),
        legend: { show: false },
        cursor: { drag: { x: true, y: true, uni: 25 }, points: { show: false } },
        scales: {
          x: { time: false, range: (u, low, high) => (zoomed ? [low, high] : [0.5, Math.max(trials.length, 1) + 0.5]) },
          y: { distr: log ? 3 : 1, range: (u, low, high) => (zoomed ? [low, high] : rangeOf(values, log)) },
        },
        axes: [axis("trial", { size: 30, incrs: wholes }), axis(visible(outcomes[outcome].title), { size: 66, values: numbers })],
        series: [{}, { stroke: () => ink("best"), width: best ? 2.5 : 0, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } }],
        hooks: {
          setSelect: [(u) => (zoomed = u.select.width > 0 || u.select.height > 0)],
          draw: [drawLimits, drawTrials],
          setCursor: [(u) => page.point(nearest(u), u)],
        },
      },
      data(),
      figure,
    );
    plot.over.addEventListener("click", () => {
      const found = nearest(plot);
      if (found) page.pick(found);
    });
    plot.over.addEventListener("dblclick", () => ((zoomed = false), plot.setData(data())));
  }

  function data() {
    const { outcomes } = page.study.problem;
    trials = page.study.trials;
    values = trials.map((trial) => valueOf(trial, outcomes[outcome].name));
    const best = outcome ? trials.map(() => null) : bestSoFar(trials, page.study.problem);
    return [trials.map((_, i) => i + 1), log ? best.map((v) => (v > 0 ? v : null)) : best];
  }

  function zoom(factor) {
    const { min, max } = plot.scales.x;
    const middle = (min + max) / 2;
    const half = Math.min(((max - min) / 2) * factor, trials.length / 2 + 0.5);
    if (half >= trials.length / 2) return all();
    zoomed = true;
    plot.setScale("x", { min: Math.max(0.5, middle - half), max: Math.min(trials.length + 0.5, middle + half) });
  }

  function all() {
    zoomed = false;
    plot.setData(data());
  }

  function arrange() {
    const { outcomes } = page.study.problem;
    const logged = el("input", { type: "checkbox", change: () => ((log = logged.checked), make()) });
    tools.replaceChildren(
      labelled("outcome", choice(outcomes.map((o, i) => [i, o.name]), outcome, (value) => ((outcome = Number(value)), make(), tell()))),
      el("label", { class: "control" }, logged, "log scale"),
      el(
        "span",
        { class: "group", role: "group", "aria-label": "zoom" },
        button("+", () => zoom(0.5), { "aria-label": "zoom in" }),
        button("−", () => zoom(2), { "aria-label": "zoom out" }),
        button("all", all, { "aria-label": "show all trials" }),
      ),
      el("span", { class: "note" }, "Drag to zoom; double-click to see all."),
    );
  }

  function tell() {
    const { outcomes } = page.study.problem;
    const counts = countLooks(trials);
    const best = page.study.summary.best_feasible;
    figure.setAttribute(
      "aria-label",
      `${visible(outcomes[outcome].name)} of ${trials.length} trials. ${best ? `Best feasible: trial ${best.trial}, ${nice(best.objective)}. ` : ""}Arrow keys go from trial to trial.`,
    );
    keys.replaceChildren(legend(counts, [outcome ? ["limit", line("limit", [4, 3])] : ["best feasible so far", line("best")]]));
  }

  figure.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || !trials.length) return;
    event.preventDefault();
    page.pick(Math.min(Math.max((page.picked || (step > 0 ? 0 : trials.length + 1)) + step, 1), trials.length));
  });
  new ResizeObserver(() => plot && figure.clientWidth > 0 && figure.clientWidth !== plot.width && plot.setSize({ width: figure.clientWidth, height: tall() })).observe(figure);

  let said = "";
  return {
    update() {
      // Another problem: from the beginning.
      if (said !== page.study.said) {
        said = page.study.said;
        outcome = 0;
        arrange();
        make();
      } else plot.setData(data(), !zoomed), plot.redraw();
      tell();
    },
    redraw() {
      plot?.redraw(false, true);
      tell();
    },
  };
}
