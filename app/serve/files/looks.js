// How trials look: the shapes and colours of the report, which differ in both.
import { ink, nice, own, visible } from "./dom.js";

export const looks = {
  feasible: { words: "feasible", shape: "circle", stroke: "paper", fill: "mean" },
  infeasible: { words: "infeasible", shape: "triangle", stroke: "limit", fill: "paper" },
  unknown: { words: "partly measured", shape: "diamond", stroke: "soft", fill: "paper" },
  failed: { words: "failed", shape: "cross", stroke: "failed" },
  running: { words: "running", shape: "square", stroke: "pending", fill: "pending" },
  pending: { words: "pending", shape: "square", stroke: "pending", fill: "paper" },
  discarded: { words: "discarded", shape: "cross", stroke: "grid" },
};

export function lookOf(trial) {
  if (trial.state !== "complete") return trial.state;
  return trial.feasible === null ? "unknown" : trial.feasible ? "feasible" : "infeasible";
}

// A measured value, without the noise that was told with it, yes as 1 and no as 0; null: not measured.
export function valueOf(trial, outcome) {
  const value = own(trial.values, outcome);
  if (typeof value === "boolean") return Number(value);
  return Array.isArray(value) ? value[0] : (value ?? null);
}

function outline(c, shape, x, y, r) {
  c.beginPath();
  if (shape === "circle") c.arc(x, y, r, 0, 7);
  else if (shape === "triangle") {
    c.moveTo(x, y - 1.2 * r);
    c.lineTo(x + 1.1 * r, y + 0.8 * r);
    c.lineTo(x - 1.1 * r, y + 0.8 * r);
    c.closePath();
  } else if (shape === "diamond") {
    c.moveTo(x, y - 1.25 * r);
    c.lineTo(x + 1.25 * r, y);
    c.lineTo(x, y + 1.25 * r);
    c.lineTo(x - 1.25 * r, y);
    c.closePath();
  } else if (shape === "square") c.rect(x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r);
  else if (shape === "cross") {
    c.moveTo(x - r, y - r);
    c.lineTo(x + r, y + r);
    c.moveTo(x + r, y - r);
    c.lineTo(x - r, y + r);
  } else {
    for (let k = 0; k < 10; k++) {
      const reach = k % 2 ? 0.75 * r : 1.9 * r;
      c.lineTo(x + reach * Math.sin((k * Math.PI) / 5), y - reach * Math.cos((k * Math.PI) / 5));
    }
    c.closePath();
  }
}

export function mark(c, look, x, y, r) {
  const { shape, stroke, fill } = looks[look];
  outline(c, shape, x, y, r);
  if (fill) {
    c.fillStyle = ink(fill);
    c.fill();
  }
  c.strokeStyle = ink(stroke);
  c.lineWidth = shape === "cross" ? 1.7 : shape === "circle" ? 0.8 : 1.4;
  c.stroke();
}

// The same as a picture that is drawn once and copied: ten times as quick where there are thousands.
const stamps = new Map();
function stamp(c, look, x, y, r) {
  const ratio = window.devicePixelRatio || 1;
  const key = [look, r, ratio, ink(looks[look].stroke), ink("paper")].join();
  const half = Math.ceil(1.3 * r + 2);
  if (!stamps.has(key)) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 2 * half * ratio;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    mark(context, look, half, half, r);
    stamps.set(key, canvas);
  }
  c.drawImage(stamps.get(key), Math.round((x - half) * ratio) / ratio, Math.round((y - half) * ratio) / ratio, 2 * half, 2 * half);
}

// How to draw so many.
export const marker = (count) => (count > 500 ? stamp : mark);

// The recommendation.
export function star(c, x, y, r = 5) {
  outline(c, "star", x, y, r);
  c.fillStyle = ink("star");
  c.fill();
  c.strokeStyle = ink("text");
  c.lineWidth = 1;
  c.stroke();
}

// The trial that the reader has chosen.
export function ring(c, x, y, r = 8) {
  c.beginPath();
  c.arc(x, y, r, 0, 7);
  c.strokeStyle = ink("text");
  c.lineWidth = 2;
  c.stroke();
}

// A legend that occurs among the trials, as a list.
export function legend(counts, more = []) {
  const list = document.createElement("ul");
  list.className = "legend";
  const add = (words, draw) => {
    const item = document.createElement("li");
    const canvas = document.createElement("canvas");
    const ratio = window.devicePixelRatio || 1;
    canvas.width = canvas.height = 16 * ratio;
    canvas.setAttribute("aria-hidden", "true");
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    draw(context);
    item.append(canvas, words);
    list.append(item);
  };
  for (const look of Object.keys(looks))
    if (counts[look]) add(`${looks[look].words} (${counts[look]})`, (c) => mark(c, look, 8, 8, 4.5));
  for (const [words, draw] of more) add(words, draw);
  return list;
}

export function line(colour, dash = []) {
  return (c) => {
    c.strokeStyle = ink(colour);
    c.lineWidth = 2;
    c.setLineDash(dash);
    c.beginPath();
    c.moveTo(0, 8);
    c.lineTo(16, 8);
    c.stroke();
  };
}

export function countLooks(trials) {
  const counts = {};
  for (const trial of trials) counts[lookOf(trial)] = (counts[lookOf(trial)] ?? 0) + 1;
  return counts;
}

// "trial 7, feasible: weight 1.9"
export function hint(trial, problem) {
  const values = problem.outcomes
    .slice(0, 4)
    .map((o) => [o.name, valueOf(trial, o.name)])
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${visible(name)} ${nice(value)}`);
  return `trial ${trial.trial}, ${looks[lookOf(trial)].words}${values.length ? `: ${values.join(", ")}` : ""}`;
}
