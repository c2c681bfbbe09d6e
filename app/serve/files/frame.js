// Scales, axes and a frame for what is drawn on a canvas of our own.
import { ink, nice, visible } from "./dom.js";

const few = 12; // integers that stand side by side like categories

export const isStepped = (p) => p.type === "categorical" || (p.type === "integer" && p.high - p.low + 1 <= few);

// Round numbers between two.
export function roundTicks(low, high, wanted = 5) {
  const raw = (high - low) / wanted;
  if (!(raw > 0) || !Number.isFinite(raw)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].find((k) => k * power >= raw) * power;
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

export function linear(low, high, wanted = 5) {
  if (!(high > low)) [low, high] = [low - (Math.abs(low) * 0.1 || 1), low + (Math.abs(low) * 0.1 || 1)];
  return {
    to: (v) => (v - low) / (high - low),
    from: (t) => low + t * (high - low),
    ticks: roundTicks(low, high, wanted).map((v) => [v, nice(v, 5)]),
  };
}

export function logarithmic(low, high) {
  const [a, b] = [Math.log(low), Math.log(high)];
  const ticks = [];
  for (let k = Math.floor(Math.log10(low)); k <= Math.ceil(Math.log10(high)); k++)
    for (const m of high / low > 200 ? [1] : [1, 2, 5]) {
      const v = Number((m * 10 ** k).toPrecision(3));
      if (v >= low * 0.999 && v <= high * 1.001) ticks.push([v, nice(v, 4)]);
    }
  return { to: (v) => (Math.log(v) - a) / (b - a), from: (t) => Math.exp(a + t * (b - a)), ticks };
}

const short = (text, most = 14) => ([...text].length > most ? `${[...text].slice(0, most - 1).join("")}…` : text);

// The scale of a parameter, over numbers: a category is its place among the values.
export function scaleOf(p) {
  if (p.type === "categorical") {
    const scale = linear(-0.5, p.values.length - 0.5);
    const every = Math.ceil(p.values.length / 12);
    scale.ticks = p.values.map((v, i) => [i, short(visible(v))]).filter((_, i) => i % every === 0);
    return scale;
  }
  if (isStepped(p)) {
    const scale = linear(p.low - 0.5, p.high + 0.5);
    scale.ticks = Array.from({ length: p.high - p.low + 1 }, (_, i) => [p.low + i, String(p.low + i)]);
    return scale;
  }
  return p.scale === "log" ? logarithmic(p.low, p.high) : linear(p.low, p.high);
}

// A design's value as a number on that scale, and back as the design has it.
export const toNumber = (p, value) => (p.type === "categorical" ? p.values.indexOf(value) : value);

export function toValue(p, number) {
  if (p.type === "categorical") return p.values[Math.min(Math.max(Math.round(number), 0), p.values.length - 1)];
  let value = Math.min(Math.max(number, p.low), p.high);
  if (p.step) value = Math.min(p.low + Math.round((value - p.low) / p.step) * p.step, p.high);
  return p.type === "integer" ? Math.round(value) : Number(value.toPrecision(p.step ? 12 : 5));
}

// A frame in a canvas: where numbers lie, and its axes.
export class Frame {
  constructor(c, width, height, x, y, margin = {}) {
    const { left = 62, right = 14, top = 10, bottom = 42 } = margin;
    Object.assign(this, { c, xScale: x, yScale: y, left, top, width: Math.max(width - left - right, 10), height: Math.max(height - top - bottom, 10) });
  }
  x(v) {
    return this.left + this.xScale.to(v) * this.width;
  }
  y(v) {
    return this.top + (1 - this.yScale.to(v)) * this.height;
  }
  // The numbers at a place of the canvas; null: outside.
  at(px, py) {
    const s = (px - this.left) / this.width;
    const t = 1 - (py - this.top) / this.height;
    return s < 0 || s > 1 || t < 0 || t > 1 ? null : [this.xScale.from(s), this.yScale.from(t)];
  }
  clip(draw) {
    this.c.save();
    this.c.beginPath();
    this.c.rect(this.left, this.top, this.width, this.height);
    this.c.clip();
    draw();
    this.c.restore();
  }
  axes(xLabel, yLabel, grid = true) {
    const { c, left, top, width, height } = this;
    c.save();
    c.lineWidth = 1;
    c.font = "12px system-ui, sans-serif";
    c.fillStyle = ink("soft");
    c.textAlign = "center";
    c.textBaseline = "top";
    let free = -Infinity;
    for (const [v, words] of this.xScale.ticks) {
      const x = Math.round(this.x(v)) + 0.5;
      if (grid) this.rule(x, top, x, top + height, "grid");
      const half = c.measureText(words).width / 2;
      if (x - half < free) continue;
      c.fillText(words, x, top + height + 6);
      free = x + half + 6;
    }
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (const [v, words] of this.yScale.ticks) {
      const y = Math.round(this.y(v)) + 0.5;
      if (grid) this.rule(left, y, left + width, y, "grid");
      c.fillText(words, left - 6, y, left - 20);
    }
    c.fillStyle = ink("text");
    c.textAlign = "center";
    if (xLabel) c.fillText(short(visible(xLabel), 60), left + width / 2, top + height + 32, width);
    if (yLabel) {
      c.translate(11, top + height / 2);
      c.rotate(-Math.PI / 2);
      c.fillText(short(visible(yLabel), 60), 0, 0, height);
    }
    c.restore();
  }
  rule(x1, y1, x2, y2, colour, dash = [], width = 1) {
    const { c } = this;
    c.save();
    c.strokeStyle = ink(colour);
    c.lineWidth = width;
    c.setLineDash(dash);
    c.beginPath();
    c.moveTo(x1, y1);
    c.lineTo(x2, y2);
    c.stroke();
    c.restore();
  }
  border() {
    this.c.strokeStyle = ink("rule");
    this.c.lineWidth = 1;
    this.c.strokeRect(this.left + 0.5, this.top + 0.5, this.width - 1, this.height - 1);
  }
}
