// The design that maps and slices are about: the recommended one until the reader takes another.
import { button, chance, el, estimate, nice, own, visible } from "./dom.js";
import { getJson } from "./api.js";
import { isStepped, toNumber, toValue } from "./parameters.js";

export function design(page) {
  let at = null; // null: whatever is recommended
  let words = ""; // about the reader's
  const panels = new Set();
  const state = {
    // The design as the server's last answer had it, or the reader's.
    now: null,
    get at() {
      return at;
    },
    recommend(found) {
      page.recommendation = found;
      if (!at) state.now = found.parameters;
      for (const show of panels) show();
    },
    go(design, said) {
      const names = page.study.problem.parameters.map((p) => p.name);
      at = design && Object.fromEntries(names.map((name) => [name, own(design, name)]));
      words = said;
      state.now = at ?? page.recommendation?.parameters ?? null;
      for (const show of panels) show();
      page.due("maps");
      page.due("slices");
    },
    // One parameter of it is another.
    set(name, value) {
      const base = { ...(at ?? state.now) };
      state.go(Object.fromEntries([...Object.entries(base).filter(([k]) => k !== name), [name, value]]), "a design of your own");
    },
    // What the server answered for.
    answered(design) {
      if (!at) state.now = design;
      for (const show of panels) show();
    },
    of: (more = {}) => `?of=${encodeURIComponent(JSON.stringify({ ...(at ? { at } : {}), ...more }))}`,
    panel,
  };

  // A card with the design's values, what is predicted there, and what can be done with it.
  function panel() {
    const box = el("div", { class: "design" });
    let asked = "";
    const target = el("dl", { class: "predicted" });
    async function predict() {
      const text = JSON.stringify(state.now);
      // What is recommended may have been measured: then that is known, and not predicted.
      const r = page.recommendation;
      if (!at && r) {
        const objective = page.study.problem.outcomes[0].name;
        kept = { probability_feasible: r.probability_feasible, outcomes: Object.fromEntries([...Object.entries(r.constraints), [objective, r.objective]]) };
        asked = "";
        return tell();
      }
      if (asked === text + page.study.revision) return;
      asked = text + page.study.revision;
      try {
        const found = await getJson(page.study.path(`predict?at=${encodeURIComponent(text)}`));
        if (asked !== text + page.study.revision) return;
        kept = found;
      } catch {
        kept = null;
      }
      tell();
    }
    let kept = null;
    function tell() {
      const { outcomes } = page.study.problem;
      target.replaceChildren(
        el("div", {}, el("dt", {}, "probability of being feasible"), el("dd", {}, kept ? chance(kept.probability_feasible) : "–")),
        ...outcomes.slice(0, 8).map((o) => {
          const p = kept && own(kept.outcomes, o.name);
          return el("div", {}, el("dt", {}, visible(o.title)), el("dd", {}, p && p.mean !== null ? estimate(p.mean, p.sd, 4) : "–"));
        }),
      );
    }
    function show() {
      if (!state.now || !page.study.problem) return;
      tell();
      box.replaceChildren(
        el("p", {}, "About ", el("b", {}, at ? visible(words) : page.recommendation ? "the recommended design" : "the middle of the ranges"), ": ", page.study.problem.parameters.map((p) => `${visible(p.name)} ${nice(own(state.now, p.name))}`).join(", ")),
        target,
        el("p", { class: "actions" }, at ? button("Back to the recommended", () => state.go(null)) : null, ...(page.designActions?.(state) ?? [])),
      );
      predict();
    }
    panels.add(show);
    show();
    return box;
  }

  // The next value up or down, for the keyboard.
  state.step = (p, value, direction) => {
    if (isStepped(p)) return toValue(p, toNumber(p, value) + direction);
    const span = p.scale === "log" ? value * (p.high / p.low) ** (direction / 50) : value + (direction * (p.high - p.low)) / 50;
    const next = toValue(p, span);
    return next === value && p.type === "integer" ? toValue(p, value + direction) : next;
  };
  return state;
}
