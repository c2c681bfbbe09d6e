// How trials look: the shapes and colours of the report, which differ in both.
import { nice, own, visible } from "./dom.js";

// In the order in which they are drawn.
export const looks = {
  discarded: { words: "discarded", shape: "cross", ink: "grid", width: 1.7 },
  pending: { words: "pending", shape: "square", ink: "pending", fill: "paper", width: 1.4 },
  unknown: { words: "partly measured", shape: "diamond", ink: "soft", fill: "paper", width: 1.4 },
  infeasible: { words: "infeasible", shape: "triangle", ink: "limit", fill: "paper", width: 1.4 },
  failed: { words: "failed", shape: "cross", ink: "failed", width: 1.7 },
  running: { words: "running", shape: "square", ink: "pending", fill: "pending", width: 1.4 },
  feasible: { words: "feasible", shape: "circle", ink: "paper", fill: "mean", width: 0.8 },
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

// A layer for each look that occurs, named with how many there are. place(trial): its x and y, and how pale it is.
export function marksOf(trials, size, place) {
  const found = new Map(Object.keys(looks).map((look) => [look, []]));
  for (const trial of trials) found.get(lookOf(trial)).push(trial);
  return [...found].flatMap(([look, those]) => {
    if (!those.length) return [];
    const at = those.map(place);
    const [x, y, fade] = [0, 1, 2].map((k) => at.map((one) => one[k]));
    return [{ kind: "marks", ...looks[look], size, key: `${looks[look].words} (${those.length})`, trial: those.map((t) => t.trial), x, y, ...(at[0][2] === undefined ? {} : { fade }) }];
  });
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
