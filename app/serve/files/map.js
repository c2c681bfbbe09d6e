// Two parameters, the others at a design: the probability of feasibility or any outcome as shades, the objective as contours, trials by
// their look. A click or the arrow keys take another design.
import { axisOf, isStepped, nearest, toNumber, toValue } from "./parameters.js";
import { button, chance, choice, el, ink, labelled, nice, own, visible } from "./dom.js";
import { legend, panelIn, ring, scaleOf } from "./figure.js";
import { getJson } from "./api.js";

export function map(host, page) {
  let pair = null; // names, null: the two that matter most
  let shade = "chance"; // or "m2", "s2": of an outcome, what is predicted or how unsure
  let found = null; // what is predicted at nodes
  let panel = null; // as the report draws it
  const tools = el("div", { class: "tools" });
  const box = el("div", { class: "canvas map" });
  const keys = el("div");
  host.append(tools, el("div", { class: "beside" }, el("div", {}, box, keys), page.design.panel()));
  const parameter = (name) => page.study.problem.parameters.find((p) => p.name === name);
  const axes = () => [parameter(found.x.parameter), parameter(found.y.parameter)];

  function over(c, f) {
    const [x, y] = axes().map((p) => toNumber(p, own(found.at, p.name)));
    const lines = [[f.x(x), f.top, f.x(x), f.top + f.height], [f.left, f.y(y), f.left + f.width, f.y(y)]];
    Object.assign(c, { strokeStyle: ink("text"), lineWidth: 1 });
    c.setLineDash([2, 3]);
    for (const [x1, y1, x2, y2] of lines) {
      c.beginPath();
      c.moveTo(x1, y1);
      c.lineTo(x2, y2);
      c.stroke();
    }
    c.setLineDash([]);
    ring(c, f.x(x), f.y(y), 6);
  }

  const design = ({ at }) => at && Object.fromEntries(axes().map((p, k) => [p.name, toValue(p, at[k])]));
  function words(under) {
    const there = found && design(under);
    if (under.hint || !there) return under.hint;
    const [i, j] = axes().map((p, k) => nearest(scaleOf(axisOf(p)), [found.x, found.y][k].values, under.at[k]));
    const at = j * found.x.values.length + i;
    const values = Object.entries(there).map(([name, v]) => `${visible(name)} ${nice(v, 4)}`);
    return `${values.join(", ")} · ${visible(page.study.problem.outcomes[0].name)} ${nice(found.mean[0][at], 4)} · feasible with probability ${chance(found.chance[at])}`;
  }
  function press(under) {
    const there = found && design(under);
    if (there) page.design.go(Object.fromEntries([...Object.entries(found.at), ...Object.entries(there)]), "a design from the map");
  }
  const height = (width) => Math.min(Math.max(width * 0.72, 300), 560);
  const plot = panelIn(box, { height, left: 76, page, words, press, over }, { tabindex: "0", role: "img" });
  plot.canvas.addEventListener("keydown", (event) => {
    const move = { ArrowRight: ["x", 1], ArrowLeft: ["x", -1], ArrowUp: ["y", 1], ArrowDown: ["y", -1] }[event.key];
    if (!move || !found) return;
    event.preventDefault();
    const p = parameter(found[move[0]].parameter);
    page.design.set(p.name, page.design.step(p, own(page.design.now, p.name), move[1]));
  });

  function arrange() {
    const { parameters, outcomes } = page.study.problem;
    const names = parameters.map((p, i) => [i, p.name]);
    const take = (axis) => (value) => {
      const now = { x: found.x.parameter, y: found.y.parameter };
      const name = parameters[Number(value)].name;
      pair = Object.values(now).includes(name) ? { x: now.y, y: now.x } : { ...now, [axis]: name };
      page.due("maps");
    };
    const across = (axis) => choice(names, parameters.indexOf(parameter(found[axis].parameter)), take(axis));
    const shades = [...(page.sure() ? [] : [["chance", "probability of being feasible"]]), ...outcomes.slice(0, 30).flatMap((o, j) => [[`m${j}`, `${o.name}, predicted`], [`s${j}`, `${o.name}, how unsure`]])];
    tools.replaceChildren(
      labelled("across", across("x")),
      labelled("up", across("y")),
      button("swap", () => take("x")(parameters.indexOf(parameter(found.y.parameter)))),
      labelled("shade", choice(shades, shade, (value) => ((shade = value), show()))),
      el("span", { class: "note" }, "Click, or use the arrow keys, to look at another design."),
    );
  }

  function show() {
    if (!found) return;
    const [x, y] = axes();
    const values = shade === "chance" ? null : found[shade.startsWith("m") ? "mean" : "sd"][Number(shade.slice(1))];
    const [low, high] = (values ?? []).reduce(([a, b], v) => (v === null ? [a, b] : [Math.min(a, v), Math.max(b, v)]), [Infinity, -Infinity]);
    const shades = { kind: "shade", stepped: [x, y].map(isStepped), shade: { x: found.x.values, y: found.y.values, values, low, high } };
    const layers = values ? [shades, ...panel.layers.filter((layer) => layer.kind !== "shade")] : panel.layers;
    plot.show({ ...panel, layers });
    plot.canvas.setAttribute("aria-label", `map of ${visible(x.name)} and ${visible(y.name)}; arrow keys move the design`);
    const scale = values ? `shades: ${nice(low, 3)} (dark) to ${nice(high, 3)} (light)` : "shades: probability of being feasible, 0 to 1";
    keys.replaceChildren(legend(layers), el("p", { class: "note" }, `${scale}. Trials are the paler, the farther their other parameters are from this design's.`));
  }

  return {
    async update() {
      if (page.sure() && shade === "chance") shade = "m0";
      const of = page.design.of(pair && parameter(pair.x) && parameter(pair.y) ? pair : {});
      const grid = await getJson(page.study.path(`map${of}`));
      const { figure } = await getJson(page.study.path(`figure${page.design.of({ kind: "map", x: grid.x.parameter, y: grid.y.parameter })}`));
      [found, [panel]] = [grid, figure.panels];
      page.design.answered(found.at);
      arrange();
      show();
    },
    redraw: plot.redraw,
  };
}
