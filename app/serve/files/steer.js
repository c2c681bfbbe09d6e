// What changes a study: forms and buttons that say what they do, and an undo at hand.
import { button, el, nice, own, visible } from "./dom.js";
import { Refused, post } from "./api.js";
import { valueOf } from "./looks.js";

// --- said and asked ---

let toasts = null;

// A word on what happened, for a while, with something to do about it.
export function toast(words, ...actions) {
  toasts ??= document.body.appendChild(el("div", { class: "toasts", role: "status", "aria-live": "polite" }));
  const box = el("div", { class: "toast" }, el("span", {}, words), ...actions);
  for (const action of actions) action.addEventListener("click", () => box.remove());
  toasts.replaceChildren(box);
  setTimeout(() => box.remove(), 15000);
}

// A box over the page; fill(close) gives what is in it.
export function ask(title, fill) {
  const dialog = el("dialog", { "aria-label": title, close: () => dialog.remove() });
  dialog.append(el("h2", {}, title), ...fill(() => dialog.close()));
  document.body.append(dialog);
  dialog.showModal();
}

// Makes the change and says so; what is refused is said in the server's words.
export async function change(study, action, body, words, refused) {
  try {
    const found = await post(study.path(action), body);
    const note = found.map((one) => own(one, "note")).find(Boolean);
    toast(note ? `${words} ${visible(note)}` : words, button("Undo", () => undo(study)));
    return found;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (refused) refused(visible(error.message));
    else toast(visible(error.message));
    return null;
  }
}

export async function undo(study) {
  try {
    const [undone] = await post(study.path("undo"), {});
    toast(`Taken back: ${visible(undone.command)}`);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    toast(visible(error.message));
  }
}

// --- forms ---

// What was typed as a number: a comma will do; "" is null, anything else NaN.
export function typed(text) {
  const plain = text.trim().replace(",", ".").replace("−", "-");
  return plain === "" ? null : /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
}

export function field(words, control, hint) {
  return el("label", { class: "field" }, el("span", {}, words, hint ? el("small", {}, hint) : null), control);
}

// "≤ 0", for a constraint.
export function limits({ min, max }) {
  if (min !== null && max !== null) return `${nice(min)} … ${nice(max)}`;
  return max !== null ? `≤ ${nice(max)}` : min !== null ? `≥ ${nice(min)}` : "";
}

// A form that sends itself by a function of its own; what is wrong stands in it.
export function form(fields, words, send, more = []) {
  const wrong = el("p", { class: "wrong", role: "alert" });
  const main = el("button", { class: "main", type: "submit" }, words);
  const box = el("form", { novalidate: true }, ...fields, wrong, el("p", { class: "actions" }, main, ...more));
  box.addEventListener("submit", async (event) => {
    event.preventDefault();
    wrong.textContent = "";
    main.disabled = true;
    await send((why) => (wrong.textContent = why));
    main.disabled = false;
  });
  return box;
}

// The numbers of inputs by name; says which one is none, and gives null then.
export function numbersOf(inputs, refuse) {
  const found = [];
  for (const [name, input] of inputs) {
    const value = input.dataset.truth ? { yes: true, no: false }[input.value] ?? null : typed(input.value);
    input.setAttribute("aria-invalid", Number.isNaN(value));
    if (Number.isNaN(value)) {
      input.focus();
      refuse(`${visible(name)}: “${visible(input.value)}” is no number.`);
      return null;
    }
    found.push([name, value]);
  }
  return found;
}

// The result of a trial: what was not measured is left empty.
export function tellForm(study, trial, done) {
  const { outcomes } = study.problem;
  const telling = trial.state === "complete";
  const inputs = outcomes
    .filter((o) => !trial.measure || trial.measure.includes(o.name))
    .map((o) => {
      const value = valueOf(trial, o.name);
      if (o.yesno) {
        const select = el("select", { "data-truth": "1" }, ...["", "yes", "no"].map((v) => el("option", { value: v }, v || "not measured")));
        select.value = ["no", "yes"][value] ?? "";
        return [o.name, select, o];
      }
      return [o.name, el("input", { type: "text", inputmode: "decimal", autocomplete: "off", enterkeyhint: "next", value: value === null ? null : String(value) }), o];
    });
  const note = el("input", { type: "text", autocomplete: "off" });
  const why = el("input", { type: "text", autocomplete: "off" });

  async function send(refuse) {
    const numbers = numbersOf(inputs, refuse);
    if (!numbers) return;
    // A correction names what differs, the first time everything that was measured.
    const values = numbers.filter(([name, value]) => (telling ? (value === null ? null : Number(value)) !== valueOf(trial, name) : value !== null));
    if (!values.length) return refuse(telling ? "Nothing is different." : "Nothing was measured? If it failed, say so below.");
    const body = { trial: trial.trial, values: Object.fromEntries(values), ...(note.value.trim() ? { note: note.value.trim() } : {}), ...(trial.state !== "pending" ? { replace: true } : {}) };
    if (await change(study, "tell", body, telling ? `Trial ${trial.trial} is corrected.` : `Trial ${trial.trial} is saved.`, refuse)) done?.();
  }
  async function fail(refuse) {
    if (!why.value.trim()) return refuse("What went wrong? A word will do.");
    const body = { trial: trial.trial, failed: why.value.trim(), ...(trial.state !== "pending" ? { replace: true } : {}) };
    if (await change(study, "tell", body, `Trial ${trial.trial} is recorded as failed.`, refuse)) done?.();
  }
  const box = form(
    [...inputs.map(([, input, o]) => field(visible(o.title), input, [limits(o), o.description && visible(o.description)].filter(Boolean).join(" · "))), field("note", note, "optional")],
    telling ? "Correct" : "Save",
    send,
  );
  const failed = el("details", {}, el("summary", {}, "It failed …"), form([field("what went wrong", why)], "Record as failed", fail));
  return el("div", { class: "tell" }, box, failed);
}

// A design by hand, from another one.
export function designForm(study, at, done) {
  const inputs = study.problem.parameters.map((p) => {
    const value = own(at, p.name);
    if (p.type !== "categorical") return [p, el("input", { type: "text", inputmode: "decimal", autocomplete: "off", value: value === undefined ? null : String(value) })];
    const select = el("select", {}, ...p.values.map((v, i) => el("option", { value: i }, visible(v))));
    select.value = Math.max(p.values.indexOf(value), 0);
    return [p, select];
  });
  async function send(refuse) {
    const numbers = numbersOf(inputs.filter(([p]) => p.type !== "categorical").map(([p, input]) => [p.name, input]), refuse);
    if (!numbers) return;
    const missing = numbers.find(([, value]) => value === null);
    if (missing) return refuse(`${visible(missing[0])}: a number is missing.`);
    const chosen = inputs.filter(([p]) => p.type === "categorical").map(([p, select]) => [p.name, p.values[Number(select.value)]]);
    const found = await change(study, "enqueue", { parameters: Object.fromEntries([...numbers, ...chosen]) }, "The design is queued.", refuse);
    if (found) done?.(found[0]);
  }
  const range = (p) => (p.type === "categorical" ? "" : `${nice(p.low)} … ${nice(p.high)}`);
  return form(inputs.map(([p, input]) => field(visible(p.title), input, [range(p), p.description && visible(p.description)].filter(Boolean).join(" · "))), "Queue it", send);
}

export function askDesign(study, at) {
  ask("Evaluate a design", (close) => [designForm(study, at, close), el("p", { class: "actions" }, button("Cancel", close))]);
}

function budgetForm(study, close) {
  const input = el("input", { type: "text", inputmode: "numeric", value: String(study.summary.budget ?? "") });
  return form([field("evaluations in all", input, `${study.summary.evaluations} are done`)], "Change the budget", async (refuse) => {
    const budget = typed(input.value);
    if (!Number.isInteger(budget) || budget < 1) return refuse("A whole number is needed.");
    if (await change(study, "budget", { budget }, `The budget is ${budget}.`, refuse)) close();
  });
}

// Other limits; what that would do is shown before it is done.
function limitsForm(study, close) {
  const constraints = study.problem.outcomes.slice(1).filter((o) => !o.yesno);
  const inputs = constraints.flatMap((o) => ["min", "max"].map((key) => [o, key, el("input", { type: "text", inputmode: "decimal", value: o[key] === null ? null : String(o[key]), "aria-label": `${key} of ${visible(o.name)}` })]));
  const said = el("p", { class: "note", role: "status" });
  function body(refuse) {
    const numbers = numbersOf(inputs.map(([o, key, input]) => [`${key} of ${o.name}`, input]), refuse);
    if (!numbers) return null;
    const limits = new Map();
    inputs.forEach(([o, key], i) => {
      const value = numbers[i][1];
      if (value === o[key]) return;
      limits.set(o.name, [...(limits.get(o.name) ?? []), [key, value]]);
    });
    if (!limits.size) return refuse("Nothing is different."), null;
    return { limits: Object.fromEntries([...limits].map(([name, pairs]) => [name, Object.fromEntries(pairs)])) };
  }
  async function preview() {
    const wanted = body((why) => (said.textContent = why));
    if (!wanted) return;
    try {
      const [found] = await post(study.path("limits"), { ...wanted, dry_run: true });
      said.textContent = `${found.changes.map(visible).join("; ")}. Feasible trials: ${found.feasible_before} now, ${found.feasible_after} then.`;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      said.textContent = visible(error.message);
    }
  }
  const rows = constraints.map((o, k) => field(visible(o.title), el("div", { class: "actions" }, inputs[2 * k][2], inputs[2 * k + 1][2]), "from … to; empty: no limit"));
  return form(
    [...rows, said],
    "Change the limits",
    async (refuse) => {
      const wanted = body(refuse);
      if (wanted && (await change(study, "limits", wanted, "The limits are changed. Write them into the problem file too, or the next run asks.", refuse))) close();
    },
    [button("What would it do?", preview)],
  );
}

// --- the study's buttons ---

export function steerBar(page) {
  const { study } = page;
  const box = el("div", { class: "steer", role: "group", "aria-label": "steering" });
  const more = () =>
    ask("Change the study", (close) => [
      el("h3", {}, "Budget"),
      budgetForm(study, close),
      ...(study.problem.outcomes.length > 1 ? [el("h3", {}, "Limits"), limitsForm(study, close)] : []),
      el("p", { class: "actions" }, button("Cancel", close)),
    ]);
  const stop = () =>
    ask("Stop the study?", (close) => [
      el("p", {}, "Nothing new is begun, and who evaluates ends. It can go on later."),
      el("p", { class: "actions" }, button("Stop", async () => (close(), await change(study, "stop", {}, "The study is stopped.")), { class: "danger" }), button("Cancel", close)),
    ]);
  function update() {
    const { paused_by_user: held, failed } = study.summary;
    const label = held ? (held.stopped ? "stopped" : "paused") : null;
    box.replaceChildren(
      held ? button("Go on", () => change(study, "resume", {}, "The study goes on."), { class: "main" }) : button("Pause", () => change(study, "pause", {}, "The study is paused: nothing new is begun.")),
      held?.stopped ? "" : button("Stop …", stop, { class: "danger" }),
      button("Evaluate a design …", () => askDesign(study, page.design.now ?? {})),
      el("a", { class: "button", href: `/study/${page.id}/lab` }, "Enter results"),
      failed ? button(`Retry ${failed} failed`, () => change(study, "retry", { failed: true }, "The failed trials are evaluated again.")) : "",
      button("Budget and limits …", more),
      button("Undo", () => undo(study)),
      label ? el("span", { class: "note" }, `${label}${held.by ? ` by ${visible(held.by)}` : ""}`) : "",
    );
  }
  return { box, update };
}

// --- one trial's buttons ---

export function trialActions(study, trial, done) {
  const one = (action, body, words) => button(words[0], async () => (await change(study, action, { trials: [trial.trial], ...body }, words[1])) && done());
  const tell = (title) => ask(title, (close) => [tellForm(study, trial, () => (close(), done())), el("p", { class: "actions" }, button("Cancel", close))]);
  return el(
    "p",
    { class: "actions" },
    trial.state === "pending" ? button("Enter its result …", () => tell(`Trial ${trial.trial}`), { class: "main" }) : null,
    trial.state === "complete" || trial.state === "failed" ? button("Correct …", () => tell(`Correct trial ${trial.trial}`)) : null,
    trial.state === "failed" || trial.state === "complete" ? one("retry", {}, ["Evaluate again", `Trial ${trial.trial} is evaluated again.`]) : null,
    trial.state === "complete" || trial.state === "failed" ? one("discard", {}, ["Discard", `Trial ${trial.trial} is set aside.`]) : null,
    trial.state === "discarded" ? one("discard", { restore: true }, ["Take in again", `Trial ${trial.trial} counts again.`]) : null,
    button("Evaluate a design like it …", () => askDesign(study, trial.parameters)),
  );
}
