// What the models say along each parameter through one design, which the reader drags.
import { canvasIn, chance, choice, el, ink, labelled, nice, own, visible } from "./dom.js";
import { Frame, isStepped, linear, scaleOf, toNumber, toValue } from "./frame.js";
import { getJson } from "./api.js";
import { lookOf, mark, valueOf } from "./looks.js";

const most = 24; // parameters

export function slices(host, page) {
  let outcome = 0;
  let alike = true; // one height for all
  let found = null;
  let panels = [];
  const tools = el("div", { class: "tools" });
  const grid = el("div", { class: "slices" });
  host.append(
    el("p", {}, "The prediction along each parameter, ±2 standard deviations, through one design; the strip below is the probability of being feasible. Drag in a picture or by its slider to look at another design."),
    tools,
    grid,
  );

  // The same height for all shows what matters; its own shows the shape.
  function reach(k) {
    const all = (alike ? found.slices : [found.slices[k]]).flatMap((s) => s.mean[outcome].flatMap((m, i) => (m === null ? [] : [m - 2 * s.sd[outcome][i], m + 2 * s.sd[outcome][i]])));
    const { min, max } = page.study.problem.outcomes[outcome];
    let [low, high] = [Math.min(...all), Math.max(...all)];
    if (outcome) for (const limit of [min, max]) if (limit !== null) [low, high] = [Math.min(low, limit), Math.max(high, limit)];
    return Number.isFinite(low) ? [low - 0.05 * (high - low), high + 0.05 * (high - low)] : [0, 1];
  }

  function panel(p, k) {
    const box = el("figure", { class: "slice" });
    let frame = null;
    const lastTrials = () => {
      const last = [];
      for (let i = page.study.trials.length - 1; i >= 0 && last.length < 400; i--) if (page.study.trials[i].state === "complete") last.push(page.study.trials[i]);
      return last.reverse();
    };

    function draw(c, width, height) {
      const slice = found?.slices[k];
      if (!slice || !slice.mean[outcome]) return;
      frame = new Frame(c, width, height, scaleOf(p), linear(...reach(k), 4), { left: 54, bottom: 46, right: 8 });
      strip(c, slice);
      frame.axes(p.title, null);
      frame.clip(() => {
        c.globalAlpha = 0.25;
        for (const trial of lastTrials()) {
          const v = valueOf(trial, page.study.problem.outcomes[outcome].name);
          if (v !== null) mark(c, lookOf(trial), frame.x(toNumber(p, own(trial.parameters, p.name))), frame.y(v), 2.2);
        }
        c.globalAlpha = 1;
        curve(c, slice);
        limits();
        handle(c);
      });
      frame.border();
    }

    // A category is a bar as wide as its step, everything else a line.
    function curve(c, slice) {
      const [mean, sd] = [slice.mean[outcome], slice.sd[outcome]];
      const half = isStepped(p) ? frame.width / slice.values.length / 2 - 3 : 0;
      const points = slice.values.flatMap((v, i) => (half ? [[frame.x(v) - half, i], [frame.x(v) + half, i]] : [[frame.x(v), i]]));
      const side = (sign) => points.map(([x, i]) => [x, frame.y(mean[i] + sign * 2 * sd[i])]);
      c.beginPath();
      for (const [x, y] of [...side(1), ...side(-1).reverse()]) c.lineTo(x, y);
      c.globalAlpha = 0.2;
      c.fillStyle = ink("mean");
      c.fill();
      c.globalAlpha = 1;
      c.beginPath();
      for (const [x, i] of points) c.lineTo(x, frame.y(mean[i]));
      c.strokeStyle = ink("mean");
      c.lineWidth = 2;
      c.stroke();
    }

    function limits() {
      const { min, max } = page.study.problem.outcomes[outcome];
      if (outcome) for (const limit of [min, max]) if (limit !== null) frame.rule(frame.left, frame.y(limit), frame.left + frame.width, frame.y(limit), "limit", [5, 3], 1.4);
    }

    function strip(c, slice) {
      const step = frame.width / slice.values.length;
      slice.chance.forEach((v, i) => {
        if (v === null) return;
        c.globalAlpha = 0.9 * v;
        c.fillStyle = ink("shade");
        c.fillRect(frame.left + i * step, frame.top + frame.height - 7, step + 0.5, 7);
      });
      c.globalAlpha = 1;
    }

    function handle(c) {
      const x = frame.x(toNumber(p, own(page.design.now ?? found.at, p.name)));
      frame.rule(x, frame.top, x, frame.top + frame.height, "text", [], 1.5);
      c.beginPath();
      c.arc(x, frame.top + 7, 5, 0, 7);
      c.fillStyle = ink("text");
      c.fill();
    }

    const { canvas, redraw } = canvasIn(box, 210, draw, { "aria-hidden": "true" });
    const slider = el("input", { type: "range", min: 0, max: isStepped(p) || p.type === "integer" ? undefined : 200, step: 1, "aria-label": visible(p.title), input: () => take(fromSlider()) });
    const output = el("output", {});
    box.append(el("div", { class: "slider" }, slider, output));

    // A slider goes along the scale; a category or an integer is a step of it.
    const whole = isStepped(p) || p.type === "integer";
    slider.max = whole ? (p.type === "categorical" ? p.values.length - 1 : p.high - p.low) : 200;
    const fromSlider = () => toValue(p, p.type === "categorical" ? Number(slider.value) : whole ? p.low + Number(slider.value) : scaleOf(p).from(Number(slider.value) / 200));
    function place() {
      const value = own(page.design.now ?? found?.at, p.name);
      if (value === undefined) return;
      const number = toNumber(p, value);
      slider.value = p.type === "categorical" ? number : whole ? number - p.low : Math.round(200 * scaleOf(p).to(number));
      slider.setAttribute("aria-valuetext", nice(value));
      output.textContent = nice(value, 4);
    }
    const take = (value) => page.design.set(p.name, value);
    const drag = (event) => {
      const at = frame?.at(Math.min(Math.max(event.offsetX, frame.left), frame.left + frame.width), frame.top + 1);
      if (at) take(toValue(p, at[0]));
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      drag(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (canvas.hasPointerCapture(event.pointerId)) return drag(event);
      const slice = found?.slices[k];
      const at = slice && frame?.at(event.offsetX, event.offsetY);
      if (!at) return page.say(null);
      const i = slice.values.reduce((best, v, j) => (Math.abs(v - at[0]) < Math.abs(slice.values[best] - at[0]) ? j : best), 0);
      page.say(`${visible(p.name)} ${nice(toValue(p, slice.values[i]), 4)}: ${nice(slice.mean[outcome][i], 4)} ± ${nice(2 * slice.sd[outcome][i], 2)}, feasible with probability ${chance(slice.chance[i])}`, event.clientX, event.clientY);
    });
    canvas.addEventListener("pointerleave", () => page.say(null));
    grid.append(box);
    return {
      redraw() {
        place();
        redraw();
      },
    };
  }

  let said = "";
  const redraw = () => panels.forEach((one) => one.redraw());
  return {
    async update() {
      const { outcomes, parameters } = page.study.problem;
      if (said !== page.study.said) {
        said = page.study.said;
        outcome = 0;
        const same = el("input", { type: "checkbox", checked: alike, change: () => ((alike = same.checked), redraw()) });
        tools.replaceChildren(labelled("outcome", choice(outcomes.map((o, i) => [i, o.name]), 0, (value) => ((outcome = Number(value)), redraw()))), el("label", { class: "control" }, same, "one scale for all"), page.design.panel());
        grid.replaceChildren();
        panels = parameters.slice(0, most).map(panel);
      }
      redraw();
      found = await getJson(page.study.path(`slices${page.design.of()}`));
      page.design.answered(found.at);
      redraw();
    },
    redraw,
  };
}
