// Parameters as axes: a design's values are numbers there, a category its place among the values.

const few = 24; // integers that stand side by side like categories, as in figures (app/figure/draw/chart.h)

export const isStepped = (p) => p.type === "categorical" || (p.type === "integer" && p.high - p.low + 1 <= few);

export function axisOf(p) {
  if (p.type === "categorical") return { kind: "names", names: p.values, low: -0.5, high: p.values.length - 0.5, label: p.title };
  if (isStepped(p)) return { kind: "integer", low: p.low - 0.5, high: p.high + 0.5, label: p.title };
  return { kind: p.scale === "log" ? "log" : "linear", low: p.low, high: p.high, label: p.title };
}

export const toNumber = (p, value) => (p.type === "categorical" ? p.values.indexOf(value) : value);

// The value of a design that is nearest to the number.
export function toValue(p, number) {
  if (p.type === "categorical") return p.values[Math.min(Math.max(Math.round(number), 0), p.values.length - 1)];
  let value = Math.min(Math.max(number, p.low), p.high);
  if (p.step) value = Math.min(p.low + Math.round((value - p.low) / p.step) * p.step, p.high);
  return p.type === "integer" ? Math.round(value) : Number(value.toPrecision(p.step ? 12 : 5));
}

// Which of the numbers on the axis is nearest.
export function nearest(scale, numbers, wanted) {
  const far = (v) => Math.abs(scale.to(v) - scale.to(wanted));
  return numbers.reduce((best, v, i) => (far(v) < far(numbers[best]) ? i : best), 0);
}
