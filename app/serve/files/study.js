// One study: its parts know how to draw themselves; here is what they share, and when each is due.
import { Refused, Study, getJson, getPart, listen, maySteer } from "./api.js";
import { checks } from "./checks.js";
import { convergence } from "./convergence.js";
import { design } from "./design.js";
import { button, el, title, visible, wait } from "./dom.js";
import { frontier } from "./frontier.js";
import { map } from "./map.js";
import { parallel } from "./parallel.js";
import { peek } from "./peek.js";
import { rounds } from "./rounds.js";
import { slices } from "./slices.js";
import { askDesign, steerBar } from "./steer.js";
import { table } from "./table.js";
import { tiles } from "./tiles.js";
import { timeline } from "./timeline.js";

const pause = 300; // milliseconds between two rounds

// The sections in their order: where links lead, what they are called there and above themselves, and who draws them; else it is the server, as in the report.
const sections = [
  ["recommendation", "Recommendation"],
  ["convergence", "Convergence", "Convergence", convergence],
  ["importance", "What matters"],
  ["frontier", "Cost of safety", "Cost of safety", frontier],
  ["maps", "Map", "Map of two parameters", map],
  ["slices", "Slices", "Slices", slices],
  ["parallel", "Parallel coordinates", "Parallel coordinates", parallel],
  ["trials", "Trials", "Trials", table],
  ["timeline", "Timeline", "Timeline", timeline],
  ["checks", "Checks", "Predicted against measured", checks],
  ["study", "Study"],
  ["models", "Models"],
];

// A section that the server draws as it does for the report.
function drawnByServer(section, page) {
  return {
    async update() {
      const nodes = await getPart(`/study/${page.id}/part/${section.id}`);
      const fresh = nodes.find((node) => node.id === section.id);
      const old = [...section.querySelectorAll(".wide")].map((wide) => [wide.scrollLeft, wide.scrollTop]);
      section.replaceChildren(...(fresh ?? section).childNodes);
      section.querySelectorAll(".wide").forEach((wide, i) => old[i] && wide.scrollTo(...old[i]));
    },
    redraw() {},
  };
}

// The page before anything is known.
function frame(id) {
  const head = el("div", { id: "head" });
  document.querySelector("header").append(
    el("nav", { "aria-label": "pages" }, el("a", { href: "/" }, "All studies"), el("a", { href: `/study/${id}/report`, download: "report.html" }, "Download report")),
    head,
    el("div", { id: "tiles" }),
  );
  document.getElementById("main").append(
    el("nav", { class: "sections", "aria-label": "sections" }, ...sections.map(([name, words]) => el("a", { href: `#${name}` }, words))),
    ...sections.map(([name, words, heading = words]) => el("section", { id: name, "aria-busy": "true", "aria-label": heading }, el("h2", {}, heading), el("p", { class: "note one-moment" }, "One moment …"))),
  );
  return head;
}

export function studyPage(id, say) {
  const study = new Study(id);
  const head = frame(id);
  const parts = new Map(); // section → {make, view, stale, seen}
  const tip = el("div", { class: "tip", hidden: true, "aria-hidden": "true" });
  document.body.append(tip);

  const page = {
    id,
    study,
    picked: 0, // a trial that the reader has chosen
    brushed: null, // which trials the reader has brushed, a function
    brushing: 0, // another number whenever that is another
    recommendation: null,
    // A trial is shown everywhere.
    pick(number) {
      page.picked = number;
      peek(page);
      redraw();
      parts.get(document.getElementById("trials"))?.view?.reveal(number);
    },
    // Words beside the pointer.
    say(text, x, y) {
      tip.hidden = !text;
      if (!text) return;
      tip.textContent = text;
      tip.style.left = `${Math.min(x + 14, window.innerWidth - tip.offsetWidth - 8)}px`;
      tip.style.top = `${y + 16}px`;
    },
    redraw,
    design: null, // which design maps and slices are about
    recommend: (found) => page.design.recommend(found),
    explore(at, words) {
      page.design.go(at, words);
      document.getElementById("maps").scrollIntoView({ behavior: "smooth" });
    },
    // Every design is feasible: nothing is constrained, and nothing has failed.
    sure: () => study.problem.outcomes.length < 2 && !study.summary.failed,
    // The section is due again.
    due(name) {
      for (const [section, part] of parts) if (section.id === name) part.stale = true;
      startAll();
    },
  };

  page.design = design(page);

  // Who may change the study gets the buttons for it.
  let bar = null;
  maySteer().then((may) => {
    if (!may) return;
    bar = steerBar(page);
    document.getElementById("tiles").after(bar.box);
    page.designActions = (state) => [button("Evaluate this design …", () => askDesign(study, state.now))];
    if (study.problem) bar.update();
  });

  // What is out of sight is drawn again when it comes into sight.
  function redraw() {
    for (const part of parts.values()) {
      if (!part.drawn) continue;
      if (part.seen) part.view.redraw();
      else part.old = true;
    }
  }

  for (const [name, , , make = drawnByServer] of [["tiles", , , tiles], ...sections])
    parts.set(document.getElementById(name), { make, view: null, stale: true, seen: false, drawn: false, busy: false, old: false });

  // Too little has been measured, or the server is away.
  function complain(section, error) {
    if (!(error instanceof Refused)) console.error(error);
    const note = section.querySelector(":scope > .trouble") ?? section.appendChild(el("p", { class: "note trouble", role: "status" }));
    note.textContent = visible(error.message);
  }

  async function bring(section, part) {
    part.stale = false;
    try {
      part.view ??= part.make(section, page);
      await part.view.update();
      part.drawn = true;
      section.querySelector(":scope > .trouble")?.remove();
    } catch (error) {
      complain(section, error);
      if (error.status === 0 || error.status === 503) {
        await wait(2000);
        part.stale = true;
      }
    }
    section.querySelector(":scope > .one-moment")?.remove();
    section.removeAttribute("aria-busy");
  }

  // Where a link has led to: what is above may grow and push it out of sight before it is drawn.
  const asked = (section) => section.id !== "" && `#${section.id}` === location.hash;

  // Each part by itself, and only where it is in sight or was asked for: what needs models takes its time.
  async function start(section, part) {
    const wanted = part.seen || asked(section) || section.id === "tiles"; // which knows what is recommended
    if (part.busy || !part.stale || !wanted || !study.problem) return;
    part.busy = true;
    await bring(section, part);
    await wait(pause);
    part.busy = false;
    start(section, part);
  }

  // A section that has nothing to say about such a problem.
  function leaveOut(name, out) {
    document.getElementById(name).hidden = out;
    for (const link of document.querySelectorAll(`nav.sections a[href='#${name}']`)) link.hidden = out;
  }

  // What it is about and how far it is, or why it cannot be read.
  async function showHead() {
    const summary = await getJson(`studies/${id}`);
    const lead = await getPart(`/study/${id}/part/head`).catch(() => [el("h1", {}, visible(summary.study))]);
    head.replaceChildren(...lead, summary.trouble ? el("p", { class: "no" }, visible(summary.trouble)) : "");
    title(summary.study);
  }

  const startAll = () => parts.forEach((part, section) => start(section, part));
  let news = true; // that has not been asked for yet
  const work = rounds(async () => {
    if (news) {
      news = false;
      try {
        await showHead();
        await study.update();
      } catch (error) {
        news = true;
        throw error;
      }
      leaveOut("frontier", page.sure());
      leaveOut("maps", study.problem.parameters.length < 2);
      for (const part of parts.values()) part.stale = true;
      bar?.update();
      say(true);
    }
    startAll();
  }, pause);

  const sight = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        const part = parts.get(entry.target);
        part.seen = entry.isIntersecting;
        if (part.seen && part.old) part.view.redraw();
        if (part.seen) part.old = false;
      }
      startAll();
    },
    { rootMargin: "200px" },
  );
  for (const section of parts.keys()) sight.observe(section);
  window.addEventListener("hashchange", startAll);
  listen(id, () => ((news = true), work()), say);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  window.addEventListener("scroll", () => page.say(null), { passive: true });
}
