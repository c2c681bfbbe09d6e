// Every trial as a line through all parameters and outcomes; what is brushed on the axes stays coloured, here and in the table.
import { axisOf, toNumber } from "./parameters.js";
import { axisOver, canvasIn, legend, scaleOf } from "./figure.js";
import { button, choice, el, ink, labelled, nice, own, visible } from "./dom.js";
import { lookOf, marksOf, valueOf } from "./looks.js";

const most = 24; // axes
const colours = { feasible: "mean", infeasible: "limit", unknown: "soft", failed: "failed", running: "pending", pending: "pending" };

export function parallel(host, page) {
  const { study } = page;
  let axes = [];
  let brushes = new Map(); // index of an axis → [low, high] as shares of it
  let drawing = null; // a brush that is being drawn
  let lay = null; // where axes are
  let shares = []; // (trials × axes) how far along each axis a trial is, NaN: it has no value there
  let measured = null; // the revision that they are of
  let layer = null; // all lines as they were last drawn, and what they were drawn of
  const tools = el("div", { class: "tools" });
  const box = el("div", { class: "canvas" });
  const keys = el("div");
  const chips = el("ul", { class: "chips", "aria-label": "brushes" });
  host.append(el("p", {}, "Drag along an axis to keep the trials that pass there; the table shows the same ones."), tools, box, chips, keys);

  function layAxes() {
    const { parameters, outcomes } = study.problem;
    axes = [
      ...parameters.map((p) => ({ title: p.title, scale: scaleOf(axisOf(p)), of: (t) => toNumber(p, own(t.parameters, p.name)) })),
      ...outcomes.map((o) => ({ title: o.title, of: (t) => valueOf(t, o.name), outcome: o })),
    ].slice(0, most);
  }

  // Outcomes reach from the least to the largest value; all above zero and far apart, by their logarithm.
  function measure() {
    const { trials } = study;
    for (const axis of axes.filter((one) => one.outcome)) {
      const reach = axisOver(trials.map(axis.of), null, 0);
      axis.scale = scaleOf({ ...reach, kind: reach.low > 0 && reach.high > 50 * reach.low ? "log" : "linear" });
    }
    shares = Float64Array.from(trials.flatMap((trial) => axes.map((axis) => axis.scale.to(axis.of(trial) ?? NaN))));
    measured = study.revision;
    layer = null;
  }

  function kept(trial) {
    if (measured !== study.revision) measure();
    const row = (trial.trial - 1) * axes.length;
    return [...brushes].every(([k, [low, high]]) => shares[row + k] >= low - 1e-9 && shares[row + k] <= high + 1e-9);
  }

  function drawLine(c, trial, place) {
    const row = (trial.trial - 1) * axes.length;
    let pen = false;
    for (let k = 0; k < axes.length; k++) {
      const t = shares[row + k];
      if (!Number.isNaN(t)) c[pen ? "lineTo" : "moveTo"](...place(k, t));
      pen = !Number.isNaN(t);
    }
  }

  // Lines of one look, some at a time; of many, several are stroked at once and none is dashed. While a brush is drawn some stand for all.
  function* drawLines(c, trials, look, passes, place) {
    const many = study.trials.length > 400;
    const every = drawing ? Math.ceil(trials.length / 100) : 1;
    const batch = many ? 20 * every : 1;
    c.strokeStyle = ink(passes ? colours[look] : "grid");
    c.globalAlpha = passes ? (look === "feasible" ? 0.75 : 0.4) * (many ? 0.5 : 1) : 0.5;
    c.lineWidth = look === "feasible" && passes ? 1.5 : 1;
    c.setLineDash(look === "infeasible" && !many ? [5, 3] : []);
    for (let begin = 0; begin < trials.length; begin += batch) {
      c.beginPath();
      for (let i = begin; i < Math.min(begin + batch, trials.length); i += every) drawLine(c, trials[i], place);
      c.stroke();
      yield;
    }
  }

  function* drawTrials(c, place) {
    const groups = new Map(); // what is not kept first, feasible ones last
    for (const passes of brushes.size ? [false, true] : [true]) for (const look of Object.keys(colours).reverse()) groups.set(`${passes} ${look}`, [look, passes, []]);
    for (const trial of study.trials) groups.get(`${!brushes.size || kept(trial)} ${lookOf(trial)}`)?.[2].push(trial);
    for (const [look, passes, trials] of groups.values()) yield* drawLines(c, trials, look, passes, place);
  }

  // All of them as a picture that lasts until something else is to be seen. Thousands take several frames.
  function layerOf(width, height, place) {
    const ratio = window.devicePixelRatio || 1;
    const key = [width, height, ratio, Boolean(drawing), ink("paper"), JSON.stringify([...brushes])].join();
    if (layer?.key !== key) {
      const canvas = el("canvas", { width: Math.round(width * ratio), height: Math.round(height * ratio) });
      const c = canvas.getContext("2d");
      c.setTransform(ratio, 0, 0, ratio, 0, 0);
      layer = { key, canvas, work: drawTrials(c, place) };
    }
    // What is drawn takes its time only when it is looked at: so many lines a frame, not so long.
    let done = false;
    for (let i = 0; !done && (drawing || i < 4); i++) ({ done } = layer.work.next());
    if (!done) (window.requestIdleCallback ?? requestAnimationFrame)(redraw);
    return layer.canvas;
  }

  // On a phone the axes lie, so that a finger along one does not scroll the page.
  function draw(c, width, height) {
    if (!axes.length) return;
    const lying = width < 600;
    const [before, after, side] = lying ? [24, 18, 16] : [40, 40, 14];
    const gap = (lying ? height - before - after : width - 2 * side - 60) / Math.max(axes.length - 1, 1);
    const long = lying ? width - 2 * side : height - before - side - 6;
    lay = { width, lying, gap, long, begin: lying ? before : side + 30, side, before };
    const place = (k, t) => (lying ? [side + t * long, lay.begin + k * gap] : [lay.begin + k * gap, before + (1 - t) * long]);
    c.drawImage(layerOf(width, height, place), 0, 0, width, height);
    const picked = study.trials[page.picked - 1];
    if (picked && colours[lookOf(picked)]) {
      c.beginPath();
      drawLine(c, picked, place);
      c.strokeStyle = ink(colours[lookOf(picked)]);
      c.lineWidth = 3.5;
      c.stroke();
    }
    axes.forEach((axis, k) => drawAxis(c, axis, k, place));
  }

  function drawAxis(c, axis, k, place) {
    const { lying, gap } = lay;
    const set = (how) => Object.assign(c, how);
    set({ strokeStyle: ink("rule"), lineWidth: 1.2 });
    c.beginPath();
    c.moveTo(...place(k, 0));
    c.lineTo(...place(k, 1));
    c.stroke();

    // Its name, and some of its ticks.
    set({ fillStyle: ink("text"), font: "600 12px system-ui, sans-serif", textAlign: lying ? "left" : "center", textBaseline: lying ? "bottom" : "alphabetic" });
    const words = visible(axis.title);
    const [x, y] = place(k, lying ? 0 : 1);
    const name = words.length > 24 ? `${words.slice(0, 23)}…` : words;
    const room = lying ? 300 : Math.max(gap * (gap < 90 ? 1.9 : 0.95), 40);
    const half = Math.min(c.measureText(name).width, room) / 2;
    const inside = lying ? x : Math.max(half, Math.min(x, lay.width - half));
    c.fillText(name, inside, lying ? y - 4 : y - 22 + (k % 2 && gap < 90 ? -13 : 0), room);
    set({ font: "11px system-ui, sans-serif", fillStyle: ink("soft"), strokeStyle: ink("paper"), lineWidth: 3, textAlign: lying ? "center" : "left", textBaseline: lying ? "top" : "middle" });
    const ticks = axis.scale.ticks(5);
    for (const [v, text] of ticks.length > 6 ? [ticks[0], ticks[Math.floor(ticks.length / 2)], ticks.at(-1)] : ticks) {
      const [tx, ty] = place(k, axis.scale.to(v));
      if (!lying) c.strokeText(text, tx + 5, ty);
      c.fillText(text, ...(lying ? [tx, ty + 3] : [tx + 5, ty]));
    }

    const brush = brushes.get(k);
    if (!brush) return;
    const [[x1, y1], [x2, y2]] = brush.map((t) => place(k, t));
    set({ fillStyle: ink("mean"), globalAlpha: 0.35 });
    c.fillRect(...(lying ? [x1, y1 - 7, x2 - x1, 14] : [x1 - 7, y2, 14, y1 - y2]));
    c.globalAlpha = 1;
  }

  const { canvas, redraw } = canvasIn(box, (width) => (width < 600 ? 60 + 52 * Math.max(axes.length, 2) : 380), draw, { role: "img" });

  // Which axis is under the pointer (-1: none), and where along them it is.
  function hit({ offsetX, offsetY }) {
    const across = (lay.lying ? offsetY : offsetX) - lay.begin;
    const along = lay.lying ? (offsetX - lay.side) / lay.long : 1 - (offsetY - lay.before) / lay.long;
    const k = Math.round(across / lay.gap);
    return [k < 0 || k >= axes.length || Math.abs(across - k * lay.gap) > 22 ? -1 : k, Math.min(Math.max(along, 0), 1)];
  }
  canvas.addEventListener("pointerdown", (event) => {
    const [k, from] = lay ? hit(event) : [-1];
    if (k < 0) return;
    drawing = { k, from };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!lay) return;
    const [k, to] = hit(event);
    canvas.style.cursor = k >= 0 || drawing ? "crosshair" : "";
    if (!drawing) return;
    brushes.set(drawing.k, [Math.min(drawing.from, to), Math.max(drawing.from, to)]);
    redraw();
  });
  function end() {
    if (!drawing) return;
    const [low, high] = brushes.get(drawing.k) ?? [0, 0];
    if (high - low < 0.01) brushes.delete(drawing.k);
    drawing = null;
    changed();
  }
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);

  function changed() {
    page.brushed = brushes.size ? kept : null;
    page.brushing++;
    tell();
    page.redraw();
  }

  // The same from the keyboard: an axis, from, to.
  function arrange() {
    let k = 0;
    const [from, to] = ["from", "to"].map((words) => el("input", { type: "number", step: "any", "aria-label": words, class: "short", placeholder: words }));
    const limit = (input, other) => (input.value === "" ? other : Math.min(Math.max(axes[k].scale.to(Number(input.value)), 0), 1));
    tools.replaceChildren(
      labelled("axis", choice(axes.map((a, i) => [i, a.title]), 0, (value) => (k = Number(value)))),
      from,
      to,
      button("keep", () => (brushes.set(k, [limit(from, 0), limit(to, 1)]), changed())),
      button("keep all", () => (brushes.clear(), changed())),
    );
  }

  function tell() {
    const { trials } = study;
    const left = trials.filter(kept);
    const chip = ([k, [low, high]]) =>
      button(`${visible(axes[k].title)}: ${nice(axes[k].scale.from(low), 3)} to ${nice(axes[k].scale.from(high), 3)} ×`, () => (brushes.delete(k), changed()), { "aria-label": `take the brush off ${visible(axes[k].title)}` });
    canvas.setAttribute("aria-label", `${trials.length} trials over ${axes.length} axes; ${left.length} are kept`);
    chips.replaceChildren(...[...brushes].map((brush) => el("li", {}, chip(brush))));
    if (brushes.size) chips.append(el("li", { class: "note" }, `${left.length} of ${trials.length} trials are kept`));
    keys.replaceChildren(legend(marksOf(trials, 4, (t) => [t.trial, 0]).reverse()));
  }

  let said = "";
  return {
    update() {
      if (said !== study.said) {
        said = study.said;
        brushes.clear();
        layAxes();
        arrange();
      }
      measure();
      redraw();
      tell();
    },
    redraw,
  };
}
