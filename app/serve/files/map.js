// Two parameters, the others at a design: the probability of feasibility or any outcome as shades, the objective as contours, trials by
// their look. A click or the arrow keys take another design.
import { button, canvasIn, chance, choice, el, ink, labelled, nice, own, visible } from "./dom.js";
import { Frame, isStepped, scaleOf, toNumber, toValue } from "./frame.js";
import { countLooks, legend, line, lookOf, marker, ring, star } from "./looks.js";
import { getJson } from "./api.js";

// cividis, which everybody can tell apart.
const ramp = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];

const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
const between = (a, b, t) => a.map((v, i) => v + (b[i] - v) * t);
function ramped(t) {
  const k = Math.min(Math.floor(t * (ramp.length - 1)), ramp.length - 2);
  return between(ramp[k], ramp[k + 1], t * (ramp.length - 1) - k);
}

// Log odds of a probability; of the normal distribution's, to two digits.
const logit = (p) => Math.log(Math.max(p, 1e-5) / Math.max(1 - p, 1e-5));
const below = (z) => 1 / (1 + Math.exp(-1.5976 * z - 0.070566 * z ** 3));
// How likely a number is within its limits.
const within = ({ min, max }, mean, sd) => (max === null ? 1 : below((max - mean) / (sd || 1e-12))) - (min === null ? 0 : below((min - mean) / (sd || 1e-12)));

// How many standard deviations it is from the nearer one; negative: it is outside.
const margin = ({ min, max }, mean, sd) => Math.min(max === null ? Infinity : max - mean, min === null ? Infinity : mean - min) / (sd || 1e-12);

// For each of `count` places along an axis: the two nodes around it and the share of the second; steps have no between.
function weights(scale, p, nodes, count) {
  const at = nodes.map((v) => scale.to(v));
  return Array.from({ length: count }, (_, i) => {
    const t = (i + 0.5) / count;
    if (isStepped(p)) {
      const k = Math.min(Math.floor(t * nodes.length), nodes.length - 1);
      return [k, k, 0];
    }
    let k = at.findIndex((v) => v > t);
    k = k < 0 ? nodes.length - 1 : Math.max(k, 1);
    return [k - 1, k, Math.min(Math.max((t - at[k - 1]) / (at[k] - at[k - 1] || 1), 0), 1)];
  });
}

// The numbers of the grid at places in between, row by row from the top.
function sample(field, xs, ys, columns) {
  const known = Float64Array.from(field, (v) => v ?? NaN);
  const out = new Float64Array(xs.length * ys.length);
  ys.forEach(([a, b, v], j) =>
    xs.forEach(([k, l, u], i) => {
      const low = known[a * columns + k] * (1 - u) + known[a * columns + l] * u;
      const high = known[b * columns + k] * (1 - u) + known[b * columns + l] * u;
      out[(ys.length - 1 - j) * xs.length + i] = low * (1 - v) + high * v;
    }),
  );
  return out;
}

// The lines where a field passes a level: marching squares. Returns where a label fits.
function contour(c, field, columns, rows, level, left, top, cell) {
  let label = null;
  c.beginPath();
  for (let j = 0; j + 1 < rows; j++)
    for (let i = 0; i + 1 < columns; i++) {
      const at = j * columns + i;
      const below = (field[at] < level) + (field[at + 1] < level) + (field[at + columns] < level) + (field[at + columns + 1] < level);
      if (below === 0 || below === 4) continue;
      const corners = [[i, j, field[at]], [i + 1, j, field[at + 1]], [i + 1, j + 1, field[at + columns + 1]], [i, j + 1, field[at + columns]]];
      const cuts = [];
      corners.forEach(([x, y, value], k) => {
        const [x2, y2, next] = corners[(k + 1) % 4];
        const [v, w] = [value - level, next - level];
        if (v < 0 !== w < 0) cuts.push([x + ((x2 - x) * v) / (v - w), y + ((y2 - y) * v) / (v - w)]);
      });
      for (let k = 0; k + 1 < cuts.length; k += 2) {
        const [a, b] = [cuts[k], cuts[k + 1]].map(([x, y]) => [left + (x + 0.5) * cell, top + (y + 0.5) * cell]);
        c.moveTo(...a);
        c.lineTo(...b);
        const far = Math.abs(i - columns / 2) + Math.abs(j - rows / 2);
        if (i > 4 && j > 4 && i < columns - 8 && j < rows - 4 && (!label || far < label[2])) label = [...a, far];
      }
    }
  c.stroke();
  return label;
}

export function map(host, page) {
  let pair = null; // names, null: the two that matter most
  let shade = "chance";
  let found = null;
  let frame = null;
  let dots = null;
  const tools = el("div", { class: "tools" });
  const box = el("div", { class: "canvas map" });
  const keys = el("div");
  const side = page.design.panel();
  host.append(tools, el("div", { class: "beside" }, el("div", {}, box, keys), side));

  const parameter = (name) => page.study.problem.parameters.find((p) => p.name === name);
  // Probabilities fall off like cliffs: between the nodes their log odds are smooth.
  const odds = () => found.chance.map((p) => (p === null ? NaN : logit(p)));

  // Log odds on a finer grid: where sure and unsure are a hair apart, the nodes alone would make stairs of the line between them, but means and standard
  // deviations are smooth. What the limits do not explain (failures, rules, answers) is added as it is at the nodes, on a cliff only where it is much. Beyond ±4 they say how many standard
  // deviations it is to the nearest limit, so that a line is found between them.
  function fineOdds(xs, ys) {
    const columns = found.x.values.length;
    const limited = page.study.problem.outcomes.flatMap((o, j) => (j && !o.yesno && (o.min !== null || o.max !== null) ? [[o, found.mean[j], found.sd[j]]] : []));
    if (!limited.length || limited.length > 6) return sample(odds(), xs, ys, columns);
    const nearest = (means, sds, i) => limited.reduce((least, [o], k) => Math.min(least, margin(o, means[k][i], sds[k][i])), Infinity);
    const by = (means, sds, i) => limited.reduce((p, [o], k) => p * within(o, means[k][i], sds[k][i]), 1);
    const nodes = [1, 2].map((part) => limited.map((one) => one[part]));
    const margins = found.chance.map((_, i) => nearest(nodes[0], nodes[1], i));
    const steep = (i) => [1, columns].some((next) => Math.abs(margins[Math.min(i + next, margins.length - 1)] - margins[i]) > 3);
    const rest = odds().map((v, i) => v - logit(by(nodes[0], nodes[1], i))).map((v, i) => (Math.abs(v) < 8 && steep(i) ? 0 : v));
    const [means, sds] = [1, 2].map((part) => limited.map((one) => sample(one[part], xs, ys, columns)));
    return sample(rest, xs, ys, columns).map((v, i) => {
      const odds = v + logit(by(means, sds, i));
      if (!(Math.abs(odds) > 4)) return odds;
      return Math.sign(odds) * Math.max(4, nearest(means, sds, i) * Math.sign(odds));
    });
  }

  // How far a design's other parameters are from those of the map, as paleness.
  function palenessOf(x, y) {
    const others = page.study.problem.parameters.filter((p) => p !== x && p !== y).map((p) => [p, scaleOf(p), toNumber(p, own(found.at, p.name))]);
    return (trial) => {
      if (!others.length) return 1;
      let sum = 0;
      for (const [p, scale, b] of others) {
        const a = toNumber(p, own(trial.parameters, p.name));
        sum += (p.type === "categorical" ? Number(a !== b) : scale.to(a) - scale.to(b)) ** 2;
      }
      return 1 - 0.8 * (1 - Math.exp(-sum / others.length / 0.0484));
    };
  }

  function draw(c, width, height) {
    if (!found) return;
    const [x, y] = [parameter(found.x.parameter), parameter(found.y.parameter)];
    if (!x || !y) return;
    frame = new Frame(c, width, height, scaleOf(x), scaleOf(y), { left: 76 });
    shadeIn(c, x, y);
    frame.axes(x.title, y.title, false);
    frame.clip(() => {
      drawContours(c, x, y);
      c.drawImage(dotsOf(x, y, width, height), 0, 0, width, height);
      const picked = page.study.trials[page.picked - 1];
      if (picked) ring(c, ...spot(picked.parameters, x, y, picked.trial));
      cross(c, ...spot(found.at, x, y));
    });
    if (page.recommendation) star(c, ...spot(page.recommendation.parameters, x, y), 6);
    frame.border();
  }

  // All trials as a picture that lasts until they, or the parameters that make them pale, are others.
  function dotsOf(x, y, width, height) {
    const { trials, problem, revision } = page.study;
    const ratio = window.devicePixelRatio || 1;
    const others = problem.parameters.filter((p) => p !== x && p !== y).map((p) => own(found.at, p.name));
    const key = JSON.stringify([width, height, ratio, revision, x.name, y.name, others, ink("paper")]);
    if (dots?.key === key) return dots.canvas;
    const canvas = el("canvas", { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    const c = canvas.getContext("2d");
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const paleness = palenessOf(x, y);
    const mark = marker(trials.length);
    for (const trial of trials) {
      if (trial.state === "discarded") continue;
      c.globalAlpha = paleness(trial);
      mark(c, lookOf(trial), ...spot(trial.parameters, x, y, trial.trial), trials.length > 500 ? 2.4 : 3.6);
    }
    dots = { key, canvas };
    return canvas;
  }

  // Designs that share a step lie side by side, so that none hides another.
  function spot(design, x, y, number = 0) {
    const spread = (p, k) => (isStepped(p) && number ? 0.5 * (((number * k * 0.618034) % 1) - 0.5) : 0);
    return [frame.x(toNumber(x, own(design, x.name)) + spread(x, 1)), frame.y(toNumber(y, own(design, y.name)) + spread(y, 7))];
  }

  function cross(c, x, y) {
    frame.rule(x, frame.top, x, frame.top + frame.height, "text", [2, 3]);
    frame.rule(frame.left, y, frame.left + frame.width, y, "text", [2, 3]);
    ring(c, x, y, 6);
  }

  function shadeIn(c, x, y) {
    const [columns, rows] = [Math.round(frame.width / 2), Math.round(frame.height / 2)];
    const [xs, ys] = [weights(frame.xScale, x, found.x.values, columns), weights(frame.yScale, y, found.y.values, rows)];
    const values = shade === "chance" ? fineOdds(xs, ys) : sample(found[shade.startsWith("m") ? "mean" : "sd"][Number(shade.slice(1))], xs, ys, found.x.values.length);
    if (shade === "chance") values.forEach((v, i) => (values[i] = 1 / (1 + Math.exp(-v))));
    const known = values.filter((v) => !Number.isNaN(v));
    const [low, high] = shade === "chance" ? [0, 1] : [known.reduce((a, b) => Math.min(a, b), Infinity), known.reduce((a, b) => Math.max(a, b), -Infinity)];
    const [paper, blue] = [rgb(ink("paper")), rgb(ink("shade"))];
    const colours = Array.from({ length: 256 }, (_, k) => (shade === "chance" ? between(paper, blue, (0.8 * k) / 255) : ramped(k / 255)));
    const image = new ImageData(columns, rows);
    values.forEach((v, i) => {
      if (Number.isNaN(v)) return;
      image.data.set(colours[Math.round((255 * (v - low)) / (high - low || 1))], 4 * i);
      image.data[4 * i + 3] = 255;
    });
    const small = el("canvas", { width: columns, height: rows });
    small.getContext("2d").putImageData(image, 0, 0);
    c.drawImage(small, frame.left, frame.top, frame.width, frame.height);
    range = [low, high];
  }
  let range = [0, 1];

  function drawContours(c, x, y) {
    const cell = 4;
    const [columns, rows] = [Math.ceil(frame.width / cell), Math.ceil(frame.height / cell)];
    const [xs, ys] = [weights(frame.xScale, x, found.x.values, columns), weights(frame.yScale, y, found.y.values, rows)];
    const objective = sample(found.mean[0], xs, ys, found.x.values.length);
    const sorted = [...objective].filter((v) => !Number.isNaN(v)).sort((a, b) => a - b);
    c.strokeStyle = shade === "chance" ? ink("soft") : "rgba(255,255,255,.75)";
    c.lineWidth = 0.9;
    const levels = new Set(Array.from({ length: 8 }, (_, k) => Number(sorted[Math.floor((sorted.length * (k + 0.5)) / 8)]?.toPrecision(2))));
    const labels = [...levels].map((level) => [contour(c, objective, columns, rows, level, frame.left, frame.top, cell), level]);
    c.font = "11px system-ui, sans-serif";
    const taken = [];
    for (const [at, level] of labels) {
      if (!at || taken.some(([x, y]) => Math.abs(at[0] - x) < 44 && Math.abs(at[1] - y) < 14)) continue;
      taken.push(at);
      c.strokeStyle = ink("paper");
      c.lineWidth = 3;
      c.strokeText(nice(level, 4), at[0], at[1]);
      c.fillStyle = ink("text");
      c.fillText(nice(level, 4), at[0], at[1]);
    }
    c.strokeStyle = ink("limit");
    c.lineWidth = 1.8;
    contour(c, fineOdds(xs, ys), columns, rows, 0, frame.left, frame.top, cell);
  }

  const { canvas, redraw } = canvasIn(box, (width) => Math.min(Math.max(width * 0.72, 300), 560), draw, { tabindex: "0", role: "img" });

  function design(event) {
    const at = frame?.at(event.offsetX, event.offsetY);
    return at && { [found.x.parameter]: toValue(parameter(found.x.parameter), at[0]), [found.y.parameter]: toValue(parameter(found.y.parameter), at[1]) };
  }
  canvas.addEventListener("pointermove", (event) => {
    const there = found && design(event);
    if (!there) return page.say(null);
    const index = (nodes, p) => nodes.reduce((best, v, i) => (Math.abs(scaleOf(p).to(v) - scaleOf(p).to(toNumber(p, own(there, p.name)))) < Math.abs(scaleOf(p).to(nodes[best]) - scaleOf(p).to(toNumber(p, own(there, p.name)))) ? i : best), 0);
    const k = index(found.y.values, parameter(found.y.parameter)) * found.x.values.length + index(found.x.values, parameter(found.x.parameter));
    const objective = page.study.problem.outcomes[0];
    page.say(`${Object.entries(there).map(([name, v]) => `${visible(name)} ${nice(v, 4)}`).join(", ")} · ${visible(objective.name)} ${nice(found.mean[0][k], 4)} · feasible with probability ${chance(found.chance[k])}`, event.clientX, event.clientY);
  });
  canvas.addEventListener("pointerleave", () => page.say(null));
  canvas.addEventListener("click", (event) => {
    const there = found && design(event);
    if (there) page.design.go(Object.fromEntries([...Object.entries(found.at), ...Object.entries(there)]), "a design from the map");
  });
  canvas.addEventListener("keydown", (event) => {
    const move = { ArrowRight: ["x", 1], ArrowLeft: ["x", -1], ArrowUp: ["y", 1], ArrowDown: ["y", -1] }[event.key];
    if (!move || !found) return;
    event.preventDefault();
    const p = parameter(found[move[0]].parameter);
    page.design.set(p.name, page.design.step(p, own(page.design.now, p.name), move[1]));
  });

  function arrange() {
    const { parameters, outcomes } = page.study.problem;
    const names = parameters.map((p, i) => [i, p.name]);
    const place = (name) => parameters.findIndex((p) => p.name === name);
    const take = (axis) => (value) => {
      const other = axis === "x" ? "y" : "x";
      const now = { x: found.x.parameter, y: found.y.parameter };
      const name = parameters[Number(value)].name;
      pair = name === now[other] ? { x: now.y, y: now.x } : { ...now, [axis]: name };
      page.due("maps");
    };
    const shades = [...(page.sure() ? [] : [["chance", "probability of being feasible"]]), ...outcomes.slice(0, 30).flatMap((o, j) => [[`m${j}`, `${o.name}, predicted`], [`s${j}`, `${o.name}, how unsure`]])];
    tools.replaceChildren(
      labelled("across", choice(names, place(found.x.parameter), take("x"))),
      labelled("up", choice(names, place(found.y.parameter), take("y"))),
      button("swap", () => ((pair = { x: found.y.parameter, y: found.x.parameter }), page.due("maps"))),
      labelled("shade", choice(shades, shade, (value) => ((shade = value), redraw(), tell()))),
      el("span", { class: "note" }, "Click, or use the arrow keys, to look at another design."),
    );
  }

  function tell() {
    const objective = page.study.problem.outcomes[0];
    const scale = shade === "chance" ? "shades: probability of being feasible, 0 to 1" : `shades: ${nice(range[0], 3)} (dark) to ${nice(range[1], 3)} (light)`;
    keys.replaceChildren(
      legend(countLooks(page.study.trials), [
        ...(page.recommendation ? [["recommended", (c) => star(c, 8, 8, 4)]] : []),
        [`${visible(objective.name)}, predicted`, line("soft")],
        ...(page.sure() ? [] : [["probability 0.5", line("limit")]]),
      ]),
      el("p", { class: "note" }, `${scale}. Trials are the paler, the farther their other parameters are from this design's.`),
    );
    canvas.setAttribute("aria-label", `map of ${visible(found.x.parameter)} and ${visible(found.y.parameter)}; arrow keys move the design`);
  }

  return {
    async update() {
      if (page.sure() && shade === "chance") shade = "m0";
      const names = pair && parameter(pair.x) && parameter(pair.y) ? pair : {};
      found = await getJson(page.study.path(`map${page.design.of(names)}`));
      page.design.answered(found.at);
      arrange();
      redraw();
      tell();
    },
    redraw() {
      redraw();
      if (found) tell();
    },
  };
}
