// When each trial was evaluated and by whom, side by side as they ran at once.
import { duration, el, visible } from "./dom.js";
import { legend, panelIn } from "./figure.js";
import { hint, looks, lookOf } from "./looks.js";
import { getJson } from "./api.js";

const fills = { feasible: "mean", infeasible: "limit", unknown: "soft", failed: "failed", running: "pending" };

// What was evaluated when, each in a lane that is free when it begins, that of its worker before others.
function lay(trials, times) {
  const now = Date.now() / 1000;
  const lanes = [];
  const bars = trials
    .map((trial, i) => {
      const running = trial.state === "running";
      const end = running ? now : times.ended[i];
      return { trial, begin: !running && trial.seconds !== null && end ? end - trial.seconds : times.asked[i], end, worker: times.worker[i] };
    })
    .filter((b) => b.begin !== null && b.end !== null && b.end >= b.begin && fills[lookOf(b.trial)])
    .sort((a, b) => a.begin - b.begin);
  for (const bar of bars) {
    const free = (lane) => lane.until <= bar.begin + 1e-3;
    bar.lane = lanes.find((lane) => free(lane) && lane.worker === bar.worker) ?? lanes.find(free) ?? lanes[lanes.push({ until: 0, worker: null, number: lanes.length }) - 1];
    bar.lane.until = bar.end;
    bar.lane.worker = bar.worker || bar.lane.worker;
  }
  return [bars, lanes];
}

export function timeline(host, page) {
  let thick = 22;
  let lanes = [];
  const box = el("div", { class: "canvas" });
  const keys = el("div");
  const note = el("p", { class: "note" });
  host.append(box, keys, note);
  const plot = panelIn(box, { height: () => 60 + thick * Math.max(lanes.length, 1), left: 110, page, press: ({ trial }) => trial && page.pick(trial) }, { role: "img" });

  function layerOf(bars, look) {
    const words = (b) => `${hint(b.trial, page.study.problem)} · ${duration(b.end - b.begin)}${b.worker ? ` · ${visible(b.worker)}` : ""}`;
    const numbers = bars.map((b) => b.trial.trial);
    return {
      kind: "bars", level: true, fill: fills[look], opacity: look === "infeasible" ? 0.55 : 0.9, size: Math.max(thick - 3, 2), key: `${looks[look].words} (${bars.length})`,
      y: bars.map((b) => b.lane.number), low: bars.map((b) => b.begin), high: bars.map((b) => b.end), trial: numbers, words: numbers.map(String), hint: bars.map(words),
    };
  }

  return {
    async update() {
      const times = await getJson(page.study.path("times"));
      let bars = [];
      [bars, lanes] = lay(page.study.trials, times);
      thick = Math.max(4, Math.min(22, 400 / Math.max(lanes.length, 1)));
      const [low, high] = [Math.min(...bars.slice(0, 1).map((b) => b.begin)), bars.reduce((a, b) => Math.max(a, b.end), -Infinity)];
      const air = 0.01 * (high - low) + 0.05;
      const layers = Object.keys(fills).map((look) => layerOf(bars.filter((b) => lookOf(b.trial) === look), look)).filter((layer) => layer.y.length);
      plot.show(bars.length ? {
        grid: true,
        x: { kind: "time", low: low - air, high: high + air, label: "time" },
        y: { kind: "names", names: lanes.map((lane) => lane.worker || String(lane.number + 1)), low: lanes.length - 0.5, high: -0.5, bare: thick < 12 },
        layers,
      } : null);

      const busy = bars.reduce((sum, b) => sum + b.end - b.begin, 0);
      const names = [...new Set(bars.filter((b) => b.trial.state === "running").map((b) => b.worker))].filter(Boolean);
      note.textContent = bars.length
        ? `${duration(busy)} of evaluation, at most ${lanes.length} at once. ${names.length ? `Running now: ${names.map(visible).join(", ")}.` : "Idle now."}`
        : "Nothing has been evaluated yet.";
      plot.canvas.setAttribute("aria-label", `running and past evaluations over time. ${note.textContent}`);
      keys.replaceChildren(legend(layers));
    },
    redraw: plot.redraw,
  };
}
