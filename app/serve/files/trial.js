// One trial's page: what the server draws of it, kept up to date.
import { getPart, listen } from "./api.js";
import { rounds } from "./rounds.js";

export function trialPage(study, trial, say) {
  const work = rounds(async () => {
    const nodes = await getPart(`/study/${study}/trial/${trial}`);
    const main = nodes.find((node) => node.id === "main");
    const drawn = document.getElementById("drawn");
    const fresh = main?.querySelector("#drawn");
    if (fresh && fresh.innerHTML !== drawn.innerHTML) drawn.replaceChildren(...fresh.childNodes);
    say(true);
  }, 1000);
  listen(study, work, say);
}
