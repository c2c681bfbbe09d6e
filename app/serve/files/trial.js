// One trial's page: what the server draws of it, kept up to date, and what can be done with it.
import { el } from "./dom.js";
import { Study, getPart, listen, maySteer } from "./api.js";
import { rounds } from "./rounds.js";
import { trialActions } from "./steer.js";

export function trialPage(id, number, say) {
  const study = new Study(id);
  const actions = el("div");
  const around = el("nav", { "aria-label": "other trials" });
  const drawn = document.getElementById("drawn");
  drawn.before(around, actions);

  const work = rounds(async () => {
    // What the server draws, where it is another.
    const nodes = await getPart(`/study/${id}/trial/${number}`);
    const fresh = nodes.find((node) => node.id === "main")?.querySelector("#drawn");
    if (fresh && fresh.textContent !== drawn.textContent) drawn.replaceChildren(...fresh.childNodes);

    // Where to go, and what to do.
    await study.update();
    const link = (n, words) => (study.trials[n - 1] ? el("a", { href: `/study/${id}/trial/${n}` }, words) : null);
    around.replaceChildren(...[link(number - 1, `← trial ${number - 1}`), link(number + 1, `trial ${number + 1} →`)].filter(Boolean));
    const trial = study.trials[number - 1];
    if (trial && (await maySteer())) actions.replaceChildren(trialActions(study, trial, work));
    say(true);
  }, 300);
  listen(id, work, say);
}
