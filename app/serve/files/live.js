// Keeps a page up to date: listens to the server's events and fetches the parts that may have changed.
const body = document.body;
const study = body.dataset.study;
const live = document.getElementById("live");
const pause = 1500; // milliseconds between two rounds

let wanted = 0; // rounds that are due
let busy = false;

function say(words) {
  if (live) live.textContent = words;
}

// The elements of a page's part; scripts in it would not run, and there are none.
async function fetchPart(path) {
  const answer = await fetch(path, { headers: { Accept: "text/html" } });
  const text = await answer.text();
  if (!answer.ok) {
    const note = document.createElement("p");
    note.className = "note";
    note.textContent = text;
    return [note];
  }
  return [...new DOMParser().parseFromString(text, "text/html").body.childNodes];
}

// Where a reader has scrolled to in the tables stays.
function keepScrolled(before, after) {
  const old = before.querySelectorAll(".wide");
  after.querySelectorAll(".wide").forEach((table, i) => {
    if (old[i]) table.scrollTo(old[i].scrollLeft, old[i].scrollTop);
  });
}

async function refreshSection(name) {
  const before = document.getElementById(name);
  if (!before) return;
  before.setAttribute("aria-busy", "true");
  const nodes = await fetchPart(`/study/${study}/part/${name}`);
  const section = nodes.find((node) => node.id === name);
  if (!section) {
    const heading = before.querySelector("h2");
    before.replaceChildren(...(heading ? [heading] : []), ...nodes);
    before.removeAttribute("aria-busy");
    return;
  }
  section.dataset.part = name;
  before.replaceWith(section);
  keepScrolled(before, section);
}

async function refreshStudy() {
  document.getElementById("head").replaceChildren(...(await fetchPart(`/study/${study}/part/head`)));
  for (const section of [...document.querySelectorAll("[data-part]")]) await refreshSection(section.dataset.part);
}

async function refreshIndex() {
  const nodes = await fetchPart("/part/studies");
  const table = nodes.find((node) => node.id === "studies");
  if (table) document.getElementById("studies").replaceWith(table);
}

// One round at a time; what came meanwhile is one more.
async function work() {
  if (busy) return;
  busy = true;
  while (wanted) {
    wanted = 0;
    try {
      await (study ? refreshStudy() : refreshIndex());
      say("live");
    } catch {
      say("not connected; trying again");
      wanted = 1;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  busy = false;
}

function refresh() {
  wanted = 1;
  work();
}

// A browser connects again by itself, but not after an answer that is no stream.
function listen() {
  const events = new EventSource(study ? `/api/v1/events?study=${study}` : "/api/v1/events");
  events.addEventListener("study", refresh);
  events.addEventListener("hello", () => say("live"));
  events.onerror = () => {
    say("not connected; trying again");
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, 5000);
  };
}

if (study || body.dataset.index) {
  listen();
  refresh();
}
