// What one wants to know first: how far it is, what is best, what is recommended, what going on would gain.
import { ago, chance, duration, el, nice, visible } from "./dom.js";
import { Refused, getJson } from "./api.js";

function tile(what, value, ...more) {
  return el("div", { class: "tile" }, el("span", { class: "what" }, what), el("b", {}, value), ...more.map((m) => (typeof m === "string" ? el("span", { class: "what" }, m) : m)));
}

// Seconds until the budget is spent: by the mean of the last evaluations, as many at once as run now.
function timeLeft(study) {
  const { budget, evaluations, running, spent } = study.summary;
  const last = study.trials.filter((t) => t.seconds !== null && t.seconds > 0).slice(-20);
  if (!budget || !running || !last.length) return null;
  const mean = last.reduce((sum, t) => sum + t.seconds, 0) / last.length;
  const more = spent === undefined ? budget - evaluations : ((budget - spent) * evaluations) / spent;
  return more >= 0 ? (mean * more) / running : null;
}

function evaluations(study) {
  const { evaluations, budget, complete, failed, running, pending, state, spent } = study.summary;
  const done = spent ?? evaluations; // where outcomes have costs, the budget is one of costs
  const bar = budget ? el("progress", { max: budget, value: Math.min(done, budget), "aria-label": "how much of the budget" }) : null;
  const more = [`${complete} complete`, failed && `${failed} failed`, running && `${running} running`, pending && `${pending} pending`].filter(Boolean).join(", ");
  return tile(`${spent === undefined ? "evaluations" : "spent"} · ${state}`, budget ? `${nice(done)} of ${budget}` : nice(done), ...(bar ? [bar] : []), more);
}

function bestTile(study, page) {
  const best = study.summary.best_feasible;
  const objective = study.problem.outcomes[0];
  if (!best) return tile("best feasible", "–", "nothing feasible has been measured yet");
  const link = el("a", { href: `/study/${page.id}/trial/${best.trial}` }, `trial ${best.trial}`);
  const unit = objective.unit ? ` ${visible(objective.unit)}` : "";
  return tile(`best feasible ${visible(objective.name)}`, nice(best.objective) + unit, el("span", { class: "what" }, link));
}

function recommendedTile(page, recommendation, why) {
  const objective = page.study.problem.outcomes[0];
  if (!recommendation) return tile("recommended", "–", why);
  const sure = `feasible with probability ${chance(recommendation.probability_feasible)}`;
  const unit = objective.unit ? ` ${visible(objective.unit)}` : "";
  return tile(
    `recommended: ${visible(objective.name)} predicted`,
    nice(recommendation.objective.mean) + unit,
    sure,
    el("span", { class: "what" }, el("a", { href: "#recommendation" }, "the design")),
  );
}

export function tiles(host, page) {
  const box = el("div", { class: "tiles" });
  host.append(box);
  let recommendation = null;
  let why = "one moment …";
  let status = null;

  function show() {
    const { study } = page;
    const left = timeLeft(study);
    const workers = status?.workers.filter((w) => w.alive) ?? [];
    const unit = study.problem.outcomes[0].unit;
    const gain = status?.expected_gain;
    box.replaceChildren(
      evaluations(study),
      bestTile(study, page),
      recommendedTile(page, recommendation, why),
      tile(
        "expected gain of going on",
        gain && gain.next !== null ? nice(gain.next, 2) + (unit ? ` ${visible(unit)}` : "") : "–",
        gain && gain.next !== null ? `by one more evaluation${study.summary.state === "done" ? "" : `; ${nice(gain.remaining, 2)} by the rest of the budget`}` : "not known yet",
      ),
      tile(
        "time left",
        study.summary.state === "done" ? "done" : duration(left ?? NaN),
        workers.length ? `${workers.length} ${workers.length === 1 ? "worker" : "workers"} at work` : "idle",
        study.summary.last_result ? `last result ${ago(study.summary.last_result)}` : "no result yet",
      ),
    );
  }

  // What is quick first; the models come when they are fitted.
  return {
    async update() {
      show();
      try {
        recommendation = await getJson(page.study.path("recommend"));
        page.recommend(recommendation);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        recommendation = null;
        why = error.message;
      }
      show();
      try {
        status = await getJson(page.study.path("status"));
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
      show();
    },
    redraw() {},
  };
}
