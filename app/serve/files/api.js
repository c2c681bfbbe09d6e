// What the server says. Everything comes as JSON, lists as one object a line.

// status 0: the server is away.
export class Refused extends Error {
  constructor(status, words) {
    super(words);
    this.status = status;
  }
}

async function reach(path, options) {
  try {
    return await fetch(path, options);
  } catch {
    throw new Refused(0, "The server does not answer.");
  }
}

export async function ask(path, options) {
  const answer = await reach(`/api/v1/${path}`, options);
  if (answer.ok) return answer;
  let words = `${answer.status} ${answer.statusText}`;
  try {
    words = (await answer.json()).error ?? words;
  } catch {
    // it was no JSON; the status says enough
  }
  throw new Refused(answer.status, words);
}

// A change; the field tells the server that it is no form of another site. What comes back: an object, or a list of them.
export async function post(path, body) {
  const answer = await ask(path, { method: "POST", headers: { "Content-Type": "application/json", "Ckg-Steer": "1" }, body: JSON.stringify(body) });
  return parseLines(await answer.text());
}

// Whether whoever looks may change studies.
let steers = null;
export const maySteer = () => (steers ??= getJson("server").then((server) => server.steer === true, () => false));

export const getJson = async (path) => (await ask(path)).json();

export const parseLines = (text) =>
  text
    .split("\n")
    .filter((line) => line)
    .map((line) => JSON.parse(line));

export const getLines = async (path) => parseLines(await (await ask(path)).text());

// The elements of a part of a page that the server draws; there are no scripts in it, and none would run.
export async function getPart(path) {
  const answer = await reach(path, { headers: { Accept: "text/html" } });
  const text = await answer.text();
  if (!answer.ok) throw new Refused(answer.status, text);
  return [...new DOMParser().parseFromString(text, "text/html").body.childNodes];
}

// A study's problem and trials, brought up to date by what has changed.
export class Study {
  constructor(id) {
    this.id = id;
    this.problem = null;
    this.summary = null;
    this.trials = []; // trial n at n − 1
    this.revision = -1;
    this.said = ""; // the problem as text
  }

  path(rest) {
    return `studies/${this.id}/${rest}`;
  }

  async update() {
    const said = await (await ask(this.path("problem"))).text();
    const summary = await getJson(`studies/${this.id}`);

    // What is newer; another problem makes other trials of the same ones, and what was taken back is gone.
    const afresh = said !== this.said || summary.revision < this.revision || this.revision < 0;
    const answer = await ask(this.path(`trials${afresh ? "" : `?since=${this.revision}`}`));
    const changed = parseLines(await answer.text());
    const revision = Number(answer.headers.get("Ckg-Revision"));

    // All of it at once: whoever draws meanwhile sees the study as it was.
    if (said !== this.said) {
      this.said = said;
      this.problem = JSON.parse(said);
      this.trials = [];
    }
    this.summary = summary;
    for (const trial of changed) this.trials[trial.trial - 1] = trial;
    this.trials.length = Math.min(this.trials.length, summary.trials ?? 0);
    this.revision = Number.isInteger(revision) ? revision : summary.revision;
    return changed.length;
  }
}

// Calls back when a study (or any, id null) has changed; says "live" or that there is no connection.
export function listen(id, changed, say) {
  const events = new EventSource(id === null ? "/api/v1/events" : `/api/v1/events?study=${id}`);
  events.addEventListener("study", changed);
  events.addEventListener("hello", () => say(true));
  events.onerror = () => {
    say(false);
    // A browser connects again by itself, but not after an answer that is no stream.
    if (events.readyState === EventSource.CLOSED) setTimeout(() => listen(id, changed, say), 3000);
  };
}
