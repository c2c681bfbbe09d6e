// What the models say along each parameter through one design, which the reader drags.
import { axisOver, panelIn, scaleOf } from "./figure.js";
import { axisOf, isStepped, nearest, toNumber, toValue } from "./parameters.js";
import { chance, choice, el, estimate, ink, labelled, nice, own, visible } from "./dom.js";
import { getJson } from "./api.js";
import { looks, lookOf, marksOf, valueOf } from "./looks.js";

const [most, latest] = [24, 400]; // parameters, and trials that are drawn

export function slices(host, page) {
  const { study } = page;
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
  const objective = () => study.problem.outcomes[outcome];
  const limits = () => (outcome ? [objective().min, objective().max].filter((limit) => limit !== null) : []);

  // Where the models' curves go: a step is as wide as there is room for it, and stands alone.
  function curveOf(p, { values, mean, sd }) {
    const half = isStepped(p) ? 0.42 : 0;
    const at = values.flatMap((v, i) => (half ? [[v - half, i], [v + half, i], [v + half, -1]] : [[v, i]]));
    const side = (sign) => at.map(([, i]) => ((mean[outcome][i] ?? null) === null ? null : mean[outcome][i] + sign * 2 * sd[outcome][i]));
    return { x: at.map(([v]) => v), y: side(0), low: side(-1), high: side(1) };
  }

  // The same height for all shows what matters; its own shows the shape.
  const reach = (curves) => axisOver([...curves.flatMap((curve) => [...curve.low, ...curve.high]), ...limits()], null, 0.05);

  function panel(p, k) {
    const box = el("figure", { class: "slice" });
    const scale = scaleOf(axisOf(p));
    const value = () => own(page.design.now ?? found?.at, p.name);
    const take = (next) => page.design.set(p.name, next);

    // The strip of probabilities, and the handle.
    function over(c, { left, top, width, height }) {
      if (!found) return; // of the panels before these
      const { chance: chances } = found.slices[k];
      c.fillStyle = ink("shade");
      chances.forEach((v, i) => {
        c.globalAlpha = 0.9 * (v ?? 0);
        c.fillRect(left + (i * width) / chances.length, top + height - 7, width / chances.length + 0.5, 7);
      });
      c.globalAlpha = 1;
      const x = left + scale.to(toNumber(p, value())) * width;
      c.fillStyle = ink("text");
      c.fillRect(x - 0.75, top, 1.5, height);
      c.beginPath();
      c.arc(x, top + 7, 5, 0, 7);
      c.fill();
    }

    function words({ at }) {
      if (!at || !found) return null;
      const { values, mean, sd, chance: chances } = found.slices[k];
      const i = nearest(scale, values, at[0]);
      return `${visible(p.name)} ${nice(toValue(p, values[i]), 4)}: ${estimate(mean[outcome][i], sd[outcome][i], 4)}, feasible with probability ${chance(chances[i])}`;
    }
    const drag = ({ left, width }, event) => take(toValue(p, scale.from(Math.min(Math.max((event.offsetX - left) / width, 0), 1))));
    const plot = panelIn(box, { height: 210, left: 54, page, over, words, drag, cursor: "ew-resize" }, { "aria-hidden": "true" });

    // A slider goes along the scale; a category or an integer is a step of it.
    const first = p.type === "categorical" ? 0 : p.low;
    const whole = isStepped(p) || p.type === "integer";
    const last = p.type === "categorical" ? p.values.length - 1 : whole ? p.high - p.low : 200;
    const moved = () => take(toValue(p, whole ? first + Number(slider.value) : scale.from(Number(slider.value) / last)));
    const slider = el("input", { type: "range", min: 0, max: last, step: 1, "aria-label": visible(p.title), input: moved });
    const output = el("output", {});
    box.append(el("div", { class: "slider" }, slider, output));
    grid.append(box);

    function show(curves, trials) {
      const now = value();
      if (now === undefined) return;
      slider.value = whole ? toNumber(p, now) - first : Math.round(last * scale.to(now));
      slider.setAttribute("aria-valuetext", nice(now));
      output.textContent = nice(now, 4);
      if (!found) return;
      const marks = marksOf(trials, 2.2, (t) => [toNumber(p, own(t.parameters, p.name)), valueOf(t, objective().name), 0.75]);
      const limit = { kind: "rule", level: true, ink: "limit", width: 1.4, dash: [5, 3], y: limits() };
      const curve = curves[k];
      plot.show({ grid: true, x: axisOf(p), y: reach(alike ? curves : [curve]), layers: [{ kind: "band", fill: "mean", opacity: 0.2, ...curve }, { kind: "line", ink: "mean", width: 2, ...curve }, limit, ...marks] });
    }
    return { show };
  }

  function redraw() {
    const { parameters } = study.problem;
    const curves = found ? found.slices.map((slice, k) => curveOf(parameters[k], slice)) : [];
    const trials = study.trials.filter((t) => t.state === "complete" && looks[lookOf(t)] && valueOf(t, objective().name) !== null).slice(-latest);
    panels.forEach((one) => one.show(curves, trials));
  }

  let said = "";
  return {
    async update() {
      const { outcomes, parameters } = study.problem;
      if (said !== study.said) {
        said = study.said;
        outcome = 0;
        found = null;
        const same = el("input", { type: "checkbox", checked: alike, change: () => ((alike = same.checked), redraw()) });
        const names = choice(outcomes.map((o, i) => [i, o.name]), 0, (value) => ((outcome = Number(value)), redraw()));
        tools.replaceChildren(labelled("outcome", names), el("label", { class: "control" }, same, "one scale for all"), page.design.panel());
        grid.replaceChildren();
        panels = parameters.slice(0, most).map(panel);
      }
      redraw();
      found = await getJson(study.path(`slices${page.design.of()}`));
      page.design.answered(found.at);
      redraw();
    },
    redraw,
  };
}
