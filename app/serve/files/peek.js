// The trial that the reader has picked: a card in the corner, with what there is to know and where to go on.
import { button, el, nice, own, visible } from "./dom.js";
import { looks, lookOf, valueOf } from "./looks.js";

const rows = (pairs) => el("dl", {}, ...pairs.flatMap(([name, value]) => [el("dt", {}, visible(name)), el("dd", {}, value)]));

let card = null;

export function peek(page) {
  const trial = page.study.trials[page.picked - 1];
  card?.remove();
  card = null;
  if (!trial) return;
  const { parameters, outcomes } = page.study.problem;
  const look = lookOf(trial);
  card = el(
    "aside",
    { class: "peek", "aria-label": `trial ${trial.trial}` },
    el(
      "header",
      {},
      el("b", {}, `Trial ${trial.trial} `),
      el("span", { class: `look ${look}` }, looks[look].words),
      button("×", () => page.pick(0), { class: "close", "aria-label": "close" }),
    ),
    trial.why ? el("p", { class: "why" }, visible(trial.why)) : null,
    el(
      "div",
      { class: "facts" },
      rows(outcomes.slice(0, 12).map((o) => [o.title, nice(valueOf(trial, o.name))])),
      rows(parameters.slice(0, 24).map((p) => [p.title, nice(own(trial.parameters, p.name))])),
    ),
    el(
      "p",
      { class: "actions" },
      el("a", { class: "button", href: `/study/${page.id}/trial/${trial.trial}` }, "Details"),
      page.explore && button("Explore around it", () => page.explore(trial.parameters, `trial ${trial.trial}`)),
    ),
  );
  document.body.append(card);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && card) card.querySelector(".close").click();
});
