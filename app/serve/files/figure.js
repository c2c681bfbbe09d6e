// Figures as data, drawn on a canvas for each panel: axes, layers, what is under the pointer, zoom. app/figure/figure.h says what the data holds; a view
// may also make it itself. Nothing is computed here but where things lie.
import { el, ink, nice, visible } from "./dom.js";

// --- axes ---

const short = (text, most = 18) => ([...text].length > most ? `${[...text].slice(0, most - 1).join("")}…` : text);

// Round numbers between two.
function roundTicks(low, high, wanted) {
  const raw = (high - low) / wanted;
  if (!(raw > 0) || !Number.isFinite(raw)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].find((k) => k * power >= raw) * power;
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

// Powers of ten, and where there is room what lies between them.
function logTicks(low, high, wanted) {
  const found = [];
  for (let k = Math.floor(Math.log10(low)); k <= Math.ceil(Math.log10(high)); k++)
    for (const m of high / low > 200 ? [1] : [1, 2, 5]) found.push(Number((m * 10 ** k).toPrecision(3)));
  return high / low > 2 ? found.filter((v) => v >= low * 0.999 && v <= high * 1.001) : roundTicks(low, high, wanted);
}

// Round moments of local time.
function momentTicks(low, high, wanted) {
  const steps = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 604800, 2592000];
  const step = steps.find((s) => (high - low) / s <= wanted) ?? (high - low) / wanted;
  const offset = new Date(low * 1000).getTimezoneOffset() * 60;
  const two = (n) => String(n).padStart(2, "0");
  const words = (d) => (step >= 86400 ? `${d.getMonth() + 1}-${two(d.getDate())}` : `${two(d.getHours())}:${two(d.getMinutes())}${step < 60 ? `:${two(d.getSeconds())}` : ""}`);
  const found = [];
  for (let t = Math.ceil((low - offset) / step) * step + offset; t <= high; t += step) found.push([t, words(new Date(t * 1000))]);
  return found;
}

function nameTicks({ names, low, high }, wanted) {
  const every = Math.ceil((high - low) / Math.max(wanted, 1));
  return names.map((name, i) => [i, short(visible(name))]).filter(([i]) => i % every === 0 && i >= low && i <= high);
}

// By the kind of an axis: what lies evenly on it, back from that, and its ticks.
const odds = [0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999];
const kinds = {
  linear: [(v) => v, (t) => t, ({ low, high }, wanted) => roundTicks(low, high, wanted)],
  integer: [(v) => v, (t) => t, ({ low, high }, wanted) => roundTicks(low, high, wanted).filter(Number.isInteger)],
  log: [Math.log, Math.exp, ({ low, high }, wanted) => logTicks(low, high, wanted)],
  names: [(v) => v, (t) => t, nameTicks],
  time: [(v) => v, (t) => t, ({ low, high }, wanted) => momentTicks(low, high, wanted)],
  gap: [(v, unit) => Math.asinh(v / unit), (t, unit) => unit * Math.sinh(t), ({ unit, high }) => [0, ...logTicks(unit, high, 5)]],
  chances: [(p) => Math.log(p / (1 - p)), (t) => 1 / (1 + Math.exp(-t)), ({ low, high }) => odds.filter((p) => p >= low && p <= high)],
};

// Values as shares of the way along an axis, and back.
export function scaleOf(axis) {
  const [to, from, ticks] = kinds[axis.kind];
  const [a, b] = [to(axis.low, axis.unit), to(axis.high, axis.unit)];
  return {
    to: (v) => (to(v, axis.unit) - a) / (b - a),
    from: (t) => from(a + t * (b - a), axis.unit),
    ticks: (wanted) => ticks(axis, wanted).map((tick) => (Array.isArray(tick) ? tick : [tick, nice(tick, 12)])),
  };
}

// From the least to the largest of the values, with a little air.
export function axisOver(values, label, air = 0.06) {
  let [low, high] = values.reduce(([a, b], v) => (v === null || !Number.isFinite(v) ? [a, b] : [Math.min(a, v), Math.max(b, v)]), [Infinity, -Infinity]);
  if (low > high) [low, high] = [0, 1];
  const room = air * (high - low) || Math.abs(high) * 0.1 || 1;
  return { kind: "linear", low: low - room, high: high + room, label };
}

// --- marks ---

const outlines = {
  circle: (c, x, y, r) => c.arc(x, y, r, 0, 7),
  triangle: (c, x, y, r) => around(c, x, y, r, [[0, -1.2], [1.1, 0.8], [-1.1, 0.8]]),
  diamond: (c, x, y, r) => around(c, x, y, r, [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]]),
  square: (c, x, y, r) => c.rect(x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r),
  star: (c, x, y, r) => around(c, x, y, r, Array.from({ length: 10 }, (_, k) => [(k % 2 ? 0.75 : 1.9) * Math.sin((k * Math.PI) / 5), (k % 2 ? -0.75 : -1.9) * Math.cos((k * Math.PI) / 5)])),
  cross(c, x, y, r) {
    for (const side of [-1, 1]) {
      c.moveTo(x - r, y - side * r);
      c.lineTo(x + r, y + side * r);
    }
  },
};

function around(c, x, y, r, corners) {
  for (const [i, [a, b]] of corners.entries()) c[i ? "lineTo" : "moveTo"](x + a * r, y + b * r);
  c.closePath();
}

function stroke(c, { ink: name, width = 1, dash = [] }) {
  c.strokeStyle = ink(name);
  c.lineWidth = width;
  c.setLineDash(dash);
  c.stroke();
  c.setLineDash([]);
}

function mark(c, layer, x, y, r = layer.size) {
  c.beginPath();
  outlines[layer.shape](c, x, y, r);
  if (layer.fill) {
    c.fillStyle = ink(layer.fill);
    c.fill();
  }
  if (layer.ink) stroke(c, layer);
}

// The same as a picture that is drawn once and copied: ten times as quick where there are thousands.
function stampOf(layer) {
  const ratio = window.devicePixelRatio || 1;
  const half = Math.ceil(1.9 * layer.size + 2);
  const picture = el("canvas", { width: 2 * half * ratio, height: 2 * half * ratio });
  const context = picture.getContext("2d");
  context.scale(ratio, ratio);
  mark(context, layer, half, half);
  return (c, _, x, y) => c.drawImage(picture, Math.round((x - half) * ratio) / ratio, Math.round((y - half) * ratio) / ratio, 2 * half, 2 * half);
}

// --- layers ---

// A path through points of the canvas, broken where one is NaN.
function trace(c, points) {
  let pen = false;
  c.beginPath();
  for (const [x, y] of points) {
    const there = !Number.isNaN(x) && !Number.isNaN(y);
    if (there) c[pen ? "lineTo" : "moveTo"](x, y);
    pen = there;
  }
}

// A null is nowhere.
const known = (v) => v ?? NaN;

function label(c, words, x, y, align = "center") {
  c.font = "11px system-ui, sans-serif";
  c.textAlign = align;
  c.textBaseline = "middle";
  c.lineJoin = "round";
  c.strokeStyle = ink("paper");
  c.lineWidth = 3;
  c.strokeText(words, x, y);
  c.fillStyle = ink("text");
  c.fillText(words, x, y);
}

function fillWith(c, layer, rule) {
  c.globalAlpha = layer.opacity ?? 1;
  c.fillStyle = ink(layer.fill);
  c.fill(rule);
  c.globalAlpha = 1;
}

const draw = {
  line(c, f, l) {
    trace(c, l.x.map((x, i) => [f.x(x), f.y(known(l.y[i]))]));
    stroke(c, l);
    if (l.label) writeOnPieces(c, f, l);
  },

  steps(c, f, l) {
    trace(c, l.x.flatMap((x, i) => (i ? [[f.x(x), f.y(known(l.y[i - 1]))], [f.x(x), f.y(known(l.y[i]))]] : [[f.x(x), f.y(known(l.y[i]))]])));
    stroke(c, l);
  },

  band(c, f, l) {
    let piece = [];
    c.beginPath();
    for (let i = 0; i <= l.x.length; i++)
      if (i < l.x.length && l.low[i] !== null && l.high[i] !== null) piece.push(i);
      else {
        [...piece.map((k) => [k, l.high]), ...piece.reverse().map((k) => [k, l.low])].forEach(([k, side], n) => c[n ? "lineTo" : "moveTo"](f.x(l.x[k]), f.y(side[k])));
        piece = [];
      }
    fillWith(c, l);
  },

  // With a fill they are as thick as their size, else lines with ends of that size.
  bars(c, f, l) {
    const half = (l.size ?? 0) / 2;
    (l.level ? l.y : l.x).forEach((at, i) => {
      const [a, b] = l.level ? [f.x(l.low[i]), f.x(l.high[i])] : [f.y(l.low[i]), f.y(l.high[i])];
      const side = l.level ? f.y(at) : f.x(at);
      const turned = (along, across) => (l.level ? [along, across] : [across, along]);
      c.beginPath();
      if (l.fill) c.rect(...turned(Math.min(a, b), side - half), ...turned(Math.max(Math.abs(b - a), 1.5), 2 * half));
      else trace(c, [turned(a, side), turned(b, side), turned(NaN, side), turned(a, side - half), turned(a, side + half), turned(NaN, side), turned(b, side - half), turned(b, side + half)]);
      if (l.fill) fillWith(c, l);
      if (f.picked && l.trial?.[i] === f.picked) stroke(c, { ink: "text", width: 2 });
      else if (l.ink) stroke(c, l);
      const words = l.words?.[i];
      if (!words || l.size < 11 || c.measureText(words).width + 6 > b - a) return;
      c.fillStyle = ink("paper");
      c.textAlign = "left";
      c.textBaseline = "middle";
      c.fillText(words, a + 3, side);
    });
  },

  rule(c, f, l) {
    for (const at of l.level ? l.y : l.x) {
      trace(c, l.level ? [[f.left, f.y(at)], [f.left + f.width, f.y(at)]] : [[f.x(at), f.top], [f.x(at), f.top + f.height]]);
      stroke(c, l);
      if (l.label) l.level ? label(c, l.label, f.left + f.width - 4, f.y(at) - 8, "right") : label(c, l.label, f.x(at) + 5, f.top + 9, "left");
    }
  },

  // Regions one above the other, or the values themselves from dark to light, which everybody can tell apart.
  shade(c, f, l) {
    for (const region of l.shade.regions ?? []) {
      trace(c, region.x.map((v, i) => [f.x(known(v)), f.y(known(region.y[i]))]));
      fillWith(c, l, "evenodd");
    }
    if (!l.shade.regions) drawPixels(c, f, l);
  },

  text(c, f, l) {
    l.x.forEach((x, i) => label(c, l.hint[i], f.x(x), f.y(l.y[i])));
  },
};

// The place in the middle of the way along points of the canvas, and how long that is.
function middleOf(points) {
  const lengths = points.slice(1).map(([x, y], k) => Math.hypot(x - points[k][0], y - points[k][1]));
  const long = lengths.reduce((sum, one) => sum + one, 0);
  let left = long / 2;
  let k = 0;
  while (k < lengths.length - 1 && left > lengths[k]) left -= lengths[k++];
  const share = left / (lengths[k] || 1);
  const [[x1, y1], [x2, y2]] = [points[k], points[k + 1] ?? points[k]];
  return [x1 + share * (x2 - x1), y1 + share * (y2 - y1), long];
}

// Where a line is broken each piece is written on, in its middle, unless something stands there already.
function writeOnPieces(c, f, l) {
  let piece = [];
  for (let i = 0; i <= l.x.length; i++) {
    if (i < l.x.length && l.y[i] !== null) {
      piece.push([f.x(l.x[i]), f.y(l.y[i])]);
      continue;
    }
    const [x, y, long] = piece.length > 1 ? middleOf(piece) : [0, 0, 0];
    const inside = x > f.left + 16 && x < f.left + f.width - 16 && y > f.top + 8 && y < f.top + f.height - 8;
    if (long > 60 && inside && !f.taken.some(([a, b]) => Math.abs(a - x) < 48 && Math.abs(b - y) < 16)) {
      label(c, l.label, x, y);
      f.taken.push([x, y]);
    }
    piece = [];
  }
}

// cividis
const ramp = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];

function ramped(t) {
  const k = Math.min(Math.floor(t * (ramp.length - 1)), ramp.length - 2);
  return ramp[k].map((v, i) => v + (ramp[k + 1][i] - v) * (t * (ramp.length - 1) - k));
}

// A pixel for each node, stretched so that nodes lie where they are: half of the outer ones is beyond the frame, unless they are steps.
function drawPixels(c, f, { shade: { x, y, values, low, high }, stepped }) {
  const [columns, rows] = [x.length, y.length];
  const image = new ImageData(columns, rows);
  values.forEach((v, i) => {
    const at = (rows - 1 - Math.floor(i / columns)) * columns + (i % columns);
    if (v !== null) image.data.set([...ramped((v - low) / (high - low || 1)), 255], 4 * at);
  });
  const picture = el("canvas", { width: columns, height: rows });
  picture.getContext("2d").putImageData(image, 0, 0);
  const [wide, tall] = [f.width / (columns - !stepped[0]), f.height / (rows - !stepped[1])];
  c.imageSmoothingEnabled = !stepped[0] && !stepped[1];
  c.drawImage(picture, f.left - (stepped[0] ? 0 : wide / 2), f.top - (stepped[1] ? 0 : tall / 2), columns * wide, rows * tall);
}

// --- panels ---

// Names and numbers beside a panel have the room that they need, of what there is.
function leftOf(c, axis, least, width) {
  const ticks = axis.bare ? [] : scaleOf(axis).ticks(axis.names ? axis.names.length : 4);
  const widest = Math.max(0, ...ticks.map(([, words]) => c.measureText(words).width));
  return Math.max(least, Math.min(widest + 30, 0.35 * width));
}

// Where values lie in a canvas.
class Frame {
  constructor(c, width, height, panel, axes, left) {
    const bottom = panel.x.label ? 42 : 26;
    Object.assign(this, { xScale: scaleOf(axes.x), yScale: scaleOf(axes.y), left, top: 10, width: Math.max(width - left - 14, 10), height: Math.max(height - 10 - bottom, 10), taken: [] });
  }
  x(v) {
    return this.left + this.xScale.to(v) * this.width;
  }
  y(v) {
    return this.top + (1 - this.yScale.to(v)) * this.height;
  }
  // The values at a place of the canvas; null: outside.
  at(px, py) {
    const [s, t] = [(px - this.left) / this.width, 1 - (py - this.top) / this.height];
    return s < 0 || s > 1 || t < 0 || t > 1 ? null : [this.xScale.from(s), this.yScale.from(t)];
  }
}

function drawAxes(c, f, panel) {
  const { left, top, width, height } = f;
  const grid = { ink: "grid" };
  c.font = "12px system-ui, sans-serif";
  c.fillStyle = ink("soft");
  c.textAlign = "center";
  c.textBaseline = "top";
  let free = -Infinity;
  for (const [v, words] of panel.x.bare ? [] : f.xScale.ticks(Math.max(width / 80, 4))) {
    const x = Math.round(f.x(v)) + 0.5;
    if (panel.grid) trace(c, [[x, top], [x, top + height]]), stroke(c, grid);
    const half = c.measureText(words).width / 2;
    if (x - half < free) continue;
    c.fillText(words, x, top + height + 6);
    free = x + half + 6;
  }
  c.textAlign = "right";
  c.textBaseline = "middle";
  for (const [v, words] of panel.y.bare ? [] : f.yScale.ticks(Math.max(height / 55, 4))) {
    const y = Math.round(f.y(v)) + 0.5;
    if (panel.grid) trace(c, [[left, y], [left + width, y]]), stroke(c, grid);
    c.fillText(words, left - 6, y, left - 20);
  }
  c.fillStyle = ink("text");
  c.textAlign = "center";
  if (panel.x.label) c.fillText(short(visible(panel.x.label), 60), left + width / 2, top + height + 32, width);
  c.save();
  c.translate(9, top + height / 2);
  c.rotate(-Math.PI / 2);
  if (panel.y.label) c.fillText(short(visible(panel.y.label), 60), 0, 0, height);
  c.restore();
}

// Where each mark lies: beyond the axis at its edge, without a value at the lower one.
function place(f, l) {
  const bottom = f.top + f.height;
  return l.x.map((x, i) => {
    const y = f.y(known(l.y[i]));
    return [f.x(x), Number.isFinite(y) ? Math.min(Math.max(y, f.top), bottom) : bottom - 8];
  });
}

const beside = (f, [x]) => x < f.left - 6 || x > f.left + f.width + 6;

function drawMarks(c, f, l, spots) {
  const many = l.x.length > 300 && !l.fade;
  const one = many ? stampOf(l) : mark;
  spots.forEach((spot, i) => {
    if (beside(f, spot)) return;
    c.globalAlpha = 1 - (l.fade?.[i] ?? 0);
    one(c, l, ...spot);
  });
  c.globalAlpha = 1;
}

// The trial that the reader has chosen.
export function ring(c, x, y, r = 8) {
  c.beginPath();
  c.arc(x, y, r, 0, 7);
  stroke(c, { ink: "text", width: 2 });
}

// A canvas that fills its host's width, sharp on any screen; draw(context, width, height) in CSS pixels.
export function canvasIn(host, height, drawIt, attributes = {}) {
  const canvas = el("canvas", attributes);
  host.append(canvas);
  let drawn = 0;
  const redraw = () => {
    const width = Math.max(host.clientWidth, 120);
    const tall = typeof height === "function" ? height(width) : height;
    const ratio = window.devicePixelRatio || 1;
    drawn = host.clientWidth;
    Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(tall * ratio) });
    Object.assign(canvas.style, { width: `${width}px`, height: `${tall}px` });
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = "12px system-ui, sans-serif";
    drawIt(context, width, tall);
  };
  new ResizeObserver(() => host.clientWidth !== drawn && redraw()).observe(host);
  return { canvas, redraw };
}

// A panel that is drawn in its host. How: height; left, the room for the labels of y; page, which says words beside the pointer and rings what is picked;
// words(hit) and press(hit), of { trial, hint, x, y: what is under the pointer, at: the values there }; over(context, frame), drawn last; zooms.
export function panelIn(host, how, attributes = {}) {
  let panel = null;
  let frame = null;
  let spots = []; // [layer, its places]
  let view = null; // the axes where the reader has zoomed in

  function drawPanel(c, width, height) {
    if (!panel) return;
    frame = new Frame(c, width, height, panel, view ?? panel, leftOf(c, { ...panel.y, ...(view ?? panel).y }, how.left ?? 62, width));
    frame.picked = how.page?.picked;
    const { left, top } = frame;
    drawAxes(c, frame, panel);
    c.save();
    c.beginPath();
    c.rect(left, top, frame.width, frame.height);
    c.clip();
    for (const layer of panel.layers) draw[layer.kind]?.(c, frame, layer);
    c.restore();
    spots = panel.layers.filter((l) => l.kind === "marks").map((l) => [l, place(frame, l)]);
    for (const [layer, places] of spots) drawMarks(c, frame, layer, places);
    for (const [layer, places] of spots) {
      const k = frame.picked ? (layer.trial?.indexOf(frame.picked) ?? -1) : -1;
      if (k >= 0 && !beside(frame, places[k])) ring(c, ...places[k]);
    }
    how.over?.(c, frame);
    c.strokeStyle = ink("rule");
    c.lineWidth = 1;
    c.strokeRect(left + 0.5, top + 0.5, frame.width - 1, frame.height - 1);
  }
  const { canvas, redraw } = canvasIn(host, how.height, drawPanel, attributes);

  // What is under the pointer: the nearest mark, or the bar there.
  function hit({ offsetX: px, offsetY: py }) {
    if (!frame) return null;
    let [found, least] = [{}, 400];
    for (const [layer, places] of spots)
      places.forEach(([x, y], i) => {
        const far = (x - px) ** 2 + (y - py) ** 2;
        if (far < least && (layer.trial || layer.hint)) [found, least] = [{ layer, i }, far];
      });
    for (const layer of panel.layers.filter((l) => l.kind === "bars" && l.level))
      layer.y.forEach((at, i) => {
        if (Math.abs(frame.y(at) - py) <= layer.size / 2 + 1 && frame.x(layer.low[i]) - 1 <= px && px <= frame.x(layer.high[i]) + 1) found = { layer, i };
      });
    return { ...found, trial: found.layer?.trial?.[found.i] ?? 0, hint: found.layer?.hint?.[found.i], at: frame.at(px, py) };
  }

  function point(event) {
    const under = event && hit(event);
    const words = under && (how.words?.(under) ?? under.hint);
    how.page?.say(words ?? null, event?.clientX, event?.clientY);
    canvas.style.cursor = how.cursor ?? (under?.layer ? "pointer" : "");
  }

  // What is dragged over is looked at more closely, in both directions where it is tall and wide.
  let from = null;
  const box = el("div", { class: "zoom", hidden: true });
  if (how.zooms) host.append(box);
  const span = (event) => [Math.min(from[0], event.offsetX), Math.min(from[1], event.offsetY), Math.abs(event.offsetX - from[0]), Math.abs(event.offsetY - from[1])];
  function look(x, y) {
    view = { x: { ...panel.x, ...(view ?? panel).x, ...x }, y: { ...(view ?? panel).y, ...y } };
    redraw();
  }
  function zoomTo([x, y, wide, tall]) {
    const { from: along } = frame.xScale;
    const { from: up } = frame.yScale;
    const share = (v, begin, long) => Math.min(Math.max((v - begin) / long, 0), 1);
    const across = wide > 25 ? { low: along(share(x, frame.left, frame.width)), high: along(share(x + wide, frame.left, frame.width)) } : {};
    look(across, tall > 25 ? { low: up(1 - share(y + tall, frame.top, frame.height)), high: up(1 - share(y, frame.top, frame.height)) } : {});
  }
  canvas.addEventListener("pointerdown", (event) => {
    if (!frame || event.button) return;
    from = [event.offsetX, event.offsetY];
    canvas.setPointerCapture(event.pointerId);
    how.drag?.(frame, event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!from || !canvas.hasPointerCapture(event.pointerId)) return point(event);
    if (how.drag) return how.drag(frame, event);
    const [x, y, wide, tall] = span(event);
    box.hidden = Math.max(wide, tall) < 5;
    Object.assign(box.style, { left: `${x}px`, top: `${wide > 25 && tall < 25 ? frame.top : y}px`, width: `${wide}px`, height: `${wide > 25 && tall < 25 ? frame.height : tall}px` });
  });
  canvas.addEventListener("pointerup", (event) => {
    const dragged = from && span(event);
    from = null;
    box.hidden = true;
    if (!dragged || how.drag) return;
    if (Math.max(dragged[2], dragged[3]) < 5) how.press?.(hit(event), event);
    else if (how.zooms && Math.max(dragged[2], dragged[3]) > 25) zoomTo(dragged);
  });
  canvas.addEventListener("pointercancel", () => ((from = null), (box.hidden = true)));
  canvas.addEventListener("pointerleave", () => point(null));
  const all = () => ((view = null), redraw());
  if (how.zooms) canvas.addEventListener("dblclick", all);

  return {
    canvas,
    redraw,
    all,
    show(data) {
      panel = data;
      redraw();
    },
    // So many times as much of x as before, around the same middle.
    zoom(factor) {
      const { low, high } = (view ?? panel).x;
      const half = (factor * (high - low)) / 2;
      if (2 * half >= panel.x.high - panel.x.low) return all();
      look({ low: Math.max(panel.x.low, (low + high) / 2 - half), high: Math.min(panel.x.high, (low + high) / 2 + half) });
    },
  };
}

// What the layers are called, each with how it looks.
export function legend(layers) {
  const entry = (layer) => {
    const ratio = window.devicePixelRatio || 1;
    const canvas = el("canvas", { width: 16 * ratio, height: 16 * ratio, "aria-hidden": "true" });
    const c = canvas.getContext("2d");
    c.scale(ratio, ratio);
    if (layer.kind === "marks") mark(c, layer, 8, 8, layer.shape === "star" ? 3.6 : 4.5);
    else if (layer.fill) c.rect(1, 3, 14, 10), fillWith(c, layer);
    else trace(c, [[0, 8], [16, 8]]), stroke(c, { ...layer, width: 2, dash: layer.dash?.length ? [4, 3] : [] });
    return el("li", {}, canvas, visible(layer.key));
  };
  return el("ul", { class: "legend" }, ...layers.filter((layer, i) => layer.key && layers.findIndex((l) => l.key === layer.key) === i).map(entry));
}
