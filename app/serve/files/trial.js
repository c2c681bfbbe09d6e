// One trial's page: what there is to know of it, kept up to date, and what can be done with it.
import { el, nice, own, title, visible } from "./dom.js";
import { Study, getJson, listen, maySteer } from "./api.js";
import { valueOf } from "./looks.js";
import { rounds } from "./rounds.js";
import { trialActions } from "./steer.js";

const row = (what, value) => (value === null || value === undefined || value === "" ? null : el("tr", {}, el("td", {}, visible(what)), el("td", { class: "why" }, visible(value))));

// A text of several lines under its heading, unless there is none.
function block(heading, text) {
  const lines = String(text ?? "").split("\n").map(visible).join("\n");
  return lines && el("section", {}, el("h2", {}, heading), el("div", { class: "wide" }, el("pre", {}, lines)));
}

// What a change did to the trial.
function telling(change) {
  const side = (words, record) => record && `    ${words.padEnd(9)} ${record.state} ${JSON.stringify(record.values)}${record.why ? ` (${record.why})` : ""} at ${JSON.stringify(record.parameters)}`;
  return [
    `${change.made}  ${change.who}: ckg ${change.command}`,
    side("was", change.before),
    side("became", change.after),
    side("put aside", change.put_aside),
    change.undone && `    undone    ${change.undone} by ${change.undone_by ?? "somebody"}`,
  ].filter(Boolean).join("\n");
}

function facts(trial, { parameters, outcomes }, times) {
  const at = trial.trial - 1;
  const timestamp = (seconds) => (seconds === null || seconds === undefined ? null : new Date(seconds * 1000).toISOString().replace(/\.\d+/, ""));
  const value = (o, v) => (v === null ? "not measured" : o.yesno ? ["no", "yes"][v] : nice(v, 10));
  return [
    row("state", trial.state),
    row("feasible", { true: "yes", false: "no" }[trial.feasible] ?? "not known"),
    row("why", trial.why),
    row("origin", trial.origin),
    row("chosen by", trial.chosen_by),
    row("why this design", trial.reason),
    row(trial.state === "running" ? "is evaluated by" : "evaluated by", times.worker[at]),
    row("asked for", timestamp(times.asked[at])),
    row("its result came", timestamp(times.ended[at])),
    row("seconds", trial.seconds === null ? null : nice(trial.seconds, 3)),
    ...parameters.map((p) => row(p.title, nice(own(trial.parameters, p.name), 10))),
    ...outcomes.map((o) => row(o.title, value(o, valueOf(trial, o.name)))),
  ].filter(Boolean);
}

export function trialPage(id, number, say) {
  const study = new Study(id);
  const [name, actions, drawn] = [el("a", { href: `/study/${id}#trials` }), el("div"), el("div")];
  const around = el("nav", { "aria-label": "other trials" });
  document.querySelector("header").append(el("nav", { "aria-label": "pages" }, el("a", { href: "/" }, "All studies"), name), el("h1", {}, `Trial ${number}`));
  document.getElementById("main").append(around, actions, drawn);
  let said = "";

  const work = rounds(async () => {
    await study.update();
    const trial = await getJson(study.path(`trials/${number}`));
    const times = await getJson(study.path("times"));
    name.textContent = visible(study.problem.study);
    title(study.problem.study);

    // What is known, where it is other than before.
    const text = JSON.stringify([trial, times.worker[number - 1], study.said]);
    if (text !== said)
      drawn.replaceChildren(
        el("section", {}, el("h2", {}, "Design and values"), el("div", { class: "wide" }, el("table", {}, el("tbody", {}, ...facts(trial, study.problem, times))))),
        block("Notes", trial.notes),
        block("The end of its standard error", trial.log),
        block("Its whole answer", trial.answer),
        block("Beyond the outcomes", Object.keys(trial.extra).length ? JSON.stringify(trial.extra) : ""),
        block("What was said of it", trial.history.map(telling).join("\n")),
      );
    said = text;

    // Where to go, and what to do.
    const link = (n, words) => (study.trials[n - 1] ? el("a", { href: `/study/${id}/trial/${n}` }, words) : "");
    around.replaceChildren(link(number - 1, `← trial ${number - 1}`), link(number + 1, `trial ${number + 1} →`));
    if (await maySteer()) actions.replaceChildren(trialActions(study, study.trials[number - 1], work));
    say(true);
  }, 300);
  listen(id, work, say);
}
