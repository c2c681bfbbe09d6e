// The lab's form: the designs that wait for somebody, one card each, with big fields; works on a phone at the bench.
import { button, el, nice, own, title, visible } from "./dom.js";
import { Study, listen, maySteer } from "./api.js";
import { change, tellForm, undo } from "./steer.js";
import { rounds } from "./rounds.js";

export function labPage(id, say) {
  const study = new Study(id);
  const main = document.getElementById("main");
  const name = el("a", { href: `/study/${id}` });
  document.querySelector("header").append(el("nav", { "aria-label": "pages" }, name), el("h1", {}, "Results"));
  const waiting = el("div", { class: "lab" });
  const asking = el("p", { class: "actions" });
  const note = el("p", { class: "note", role: "status" }, "One moment …");
  main.append(el("div", { class: "lab" }, note), waiting, el("div", { class: "lab" }, asking));
  const cards = new Map(); // trial → [text, card]

  function card(trial, steers) {
    const design = study.problem.parameters.flatMap((p) => {
      const value = own(trial.parameters, p.name);
      return [el("dt", {}, visible(p.name)), el("dd", {}, `${nice(value, 6)}${p.unit ? ` ${visible(p.unit)}` : ""}`)];
    });
    return el(
      "section",
      { class: "card", "aria-label": `trial ${trial.trial}` },
      el("h2", {}, `Trial ${trial.trial}`),
      el("dl", { class: "made" }, ...design),
      steers ? tellForm(study, trial, work) : null,
    );
  }

  // Cards that somebody types into stay as they are.
  function show(steers) {
    const pending = study.trials.filter((trial) => trial.state === "pending");
    for (const [number, [, old]] of cards)
      if (!pending.some((trial) => trial.trial === number)) {
        old.remove();
        cards.delete(number);
      }
    for (const trial of pending) {
      const text = JSON.stringify(trial) + study.said;
      if (cards.get(trial.trial)?.[0] === text) continue;
      const fresh = card(trial, steers);
      if (cards.has(trial.trial)) cards.get(trial.trial)[1].replaceWith(fresh);
      else waiting.append(fresh);
      cards.set(trial.trial, [text, fresh]);
    }
    note.textContent = `${pending.length ? (pending.length === 1 ? "One design waits for its result." : `${pending.length} designs wait for their results.`) : "No design waits for a result."}${steers ? " Leave empty what was not measured." : " This server only shows: start it with --steer, and open the address with its token, to enter results."}`;
    asking.replaceChildren(...(steers ? [button("Next design", next, { class: pending.length ? null : "main" }), button("Undo", () => undo(study).then(work))] : []));
  }

  async function next() {
    for (const one of asking.children) one.disabled = true;
    note.textContent = "A design is being chosen …";
    const found = await change(study, "ask", { number: 1 }, "A new design.");
    await work();
    for (const one of asking.children) one.disabled = false;
    if (found) cards.get(found[0].trial)?.[1].scrollIntoView();
  }

  const work = rounds(async () => {
    await study.update();
    name.textContent = visible(study.problem.study);
    title(study.problem.study);
    show(await maySteer());
    say(true);
  }, 300);
  listen(id, work, say);
  work();
}
