// Elements and numbers. Whatever comes from a study becomes text here, never markup.

// A new element; attributes that are null or false are left out, functions become listeners.
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// What the browser calls the page.
export const title = (words) => (document.title = `${visible(words)} – ckg`);

export const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// A member of an object that was read from JSON: names may be anything, "__proto__" too.
export const own = (object, name) => (object && Object.hasOwn(object, name) ? object[name] : undefined);

// What a character would hide, or turn the text around with, is shown by its number, as the report does.
export const visible = (text) =>
  String(text).replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu, (c) =>
    c === "\u200d" ? c : "\\u{" + c.codePointAt(0).toString(16) + "}",
  );

// A number with a few significant digits; anything else as text.
export function nice(value, digits = 5) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return visible(value);
  if (value === 0 || (Math.abs(value) >= 1e-4 && Math.abs(value) < 1e7)) return String(Number(value.toPrecision(digits)));
  return value.toExponential(digits - 1).replace(/\.?0+e/, "e");
}

// With its standard deviation, unless it is known.
export const estimate = (mean, sd, digits = 5) => (sd > 0 ? `${nice(mean, digits)} ± ${nice(sd, 2)}` : nice(mean, digits));

// A probability, as the program writes it (present/numbers.c): near 0 and 1 it matters how near.
export function chance(value) {
  if (value === null || value === undefined) return "not known";
  if (value > 0.9999) return "> 0.9999";
  if (value < 0.0001) return "< 0.0001";
  return String(Number(value.toPrecision(4)));
}

export function duration(seconds) {
  if (!(seconds >= 0)) return "–";
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${nice(seconds / 3600, 2)} h`;
  return `${nice(seconds / 86400, 2)} days`;
}

export function ago(timestamp) {
  const seconds = (Date.now() - Date.parse(timestamp)) / 1000;
  return seconds < 5 ? "just now" : `${duration(seconds)} ago`;
}

// A labelled control in a toolbar.
export const labelled = (words, control) => el("label", { class: "control" }, el("span", {}, words), control);

// A choice among [value, words] pairs.
export function choice(pairs, value, change) {
  const select = el("select", { change: () => change(select.value) });
  for (const [key, words] of pairs) select.append(el("option", { value: key }, visible(words)));
  select.value = value;
  return select;
}

export const button = (words, press, attributes = {}) => el("button", { type: "button", click: press, ...attributes }, words);

// The page's colours, light or dark as it is now.
const inks = new Map();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => inks.clear());
export function ink(name) {
  if (!inks.has(name)) inks.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  return inks.get(name);
}
