// When each trial was evaluated and by whom, side by side as they ran at once.
import { canvasIn, duration, el, ink, visible } from "./dom.js";
import { countLooks, hint, legend, lookOf, looks } from "./looks.js";
import { Frame, linear } from "./frame.js";
import { getJson } from "./api.js";

const fills = { feasible: "mean", infeasible: "limit", unknown: "soft", failed: "failed", running: "pending" };

// Round moments of local time.
function moments(low, high, wanted) {
  const steps = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 604800, 2592000];
  const step = steps.find((s) => (high - low) / s <= wanted) ?? (high - low) / wanted;
  const offset = new Date(low * 1000).getTimezoneOffset() * 60;
  const found = [];
  for (let t = Math.ceil((low - offset) / step) * step + offset; t <= high; t += step) {
    const d = new Date(t * 1000);
    const two = (n) => String(n).padStart(2, "0");
    found.push([t, step >= 86400 ? `${d.getMonth() + 1}-${two(d.getDate())}` : `${two(d.getHours())}:${two(d.getMinutes())}${step < 60 ? `:${two(d.getSeconds())}` : ""}`]);
  }
  return found;
}

export function timeline(host, page) {
  let bars = [];
  let lanes = [];
  let frame = null;
  let thick = 22;
  const box = el("div", { class: "canvas" });
  const keys = el("div");
  const note = el("p", { class: "note" });
  host.append(box, keys, note);

  // Each in a lane that is free when it begins, that of its worker before others.
  function lay(times) {
    const now = Date.now() / 1000;
    bars = page.study.trials
      .map((trial, i) => {
        const running = trial.state === "running";
        const end = running ? now : times.ended[i];
        const begin = running ? times.asked[i] : trial.seconds !== null && end ? end - trial.seconds : times.asked[i];
        return { trial, begin, end, worker: times.worker[i] };
      })
      .filter((b) => b.begin !== null && b.end !== null && b.end >= b.begin && fills[lookOf(b.trial)])
      .sort((a, b) => a.begin - b.begin);
    lanes = [];
    for (const bar of bars) {
      const free = (lane) => lane.until <= bar.begin + 1e-3;
      let k = lanes.findIndex((lane) => free(lane) && lane.worker === bar.worker);
      if (k < 0) k = lanes.findIndex(free);
      if (k < 0) k = lanes.push({ until: 0, worker: null }) - 1;
      lanes[k].until = bar.end;
      if (bar.worker) lanes[k].worker = bar.worker;
      bar.lane = k;
    }
    thick = Math.max(4, Math.min(22, 400 / Math.max(lanes.length, 1)));
  }

  function draw(c, width, height) {
    if (!bars.length) return;
    const low = bars.reduce((a, b) => Math.min(a, b.begin), Infinity);
    const high = bars.reduce((a, b) => Math.max(a, b.end), -Infinity);
    const air = 0.01 * (high - low) + 0.05;
    const x = linear(low - air, high + air);
    x.ticks = moments(low - air, high + air, Math.max(width / 90, 3));
    const y = linear(0, lanes.length);
    y.ticks = thick < 12 ? [] : lanes.map((lane, k) => [lanes.length - k - 0.5, lane.worker ? visible(lane.worker) : String(k + 1)]);
    frame = new Frame(c, width, height, x, y, { left: lanes.some((lane) => lane.worker) ? 110 : 44 });
    frame.axes("time", null);
    for (const { trial, begin, end, lane } of bars) {
      c.fillStyle = ink(fills[lookOf(trial)]);
      const [left, top] = [frame.x(begin), frame.y(lanes.length - lane) + 1.5];
      const wide = Math.max(frame.x(end) - left - 0.5, 1.5);
      c.globalAlpha = lookOf(trial) === "infeasible" ? 0.55 : 0.9;
      c.fillRect(left, top, wide, Math.max(thick - 3, 2));
      c.globalAlpha = 1;
      if (trial.trial === page.picked) {
        c.strokeStyle = ink("text");
        c.lineWidth = 2;
        c.strokeRect(left, top, wide, Math.max(thick - 3, 2));
      }
      c.font = "11px system-ui, sans-serif";
      if (thick > 14 && wide > c.measureText(String(trial.trial)).width + 6) {
        c.fillStyle = ink("paper");
        c.textAlign = "left";
        c.textBaseline = "middle";
        c.fillText(String(trial.trial), left + 3, top + thick / 2 - 1);
      }
    }
    frame.border();
  }
  const { canvas, redraw } = canvasIn(box, () => 60 + thick * Math.max(lanes.length, 1), draw, { role: "img" });

  const under = (event) => {
    const at = frame?.at(event.offsetX, event.offsetY);
    if (!at) return null;
    const lane = Math.floor(lanes.length - at[1]);
    const near = (at) => bars.find((b) => b.lane === lane && b.begin <= at && at <= b.end);
    return near(at[0]) ?? null;
  };
  canvas.addEventListener("pointermove", (event) => {
    const bar = under(event);
    page.say(bar && `${hint(bar.trial, page.study.problem)} · ${duration(bar.end - bar.begin)}${bar.worker ? ` · ${visible(bar.worker)}` : ""}`, event.clientX, event.clientY);
    canvas.style.cursor = bar ? "pointer" : "";
  });
  canvas.addEventListener("pointerleave", () => page.say(null));
  canvas.addEventListener("click", (event) => under(event) && page.pick(under(event).trial.trial));

  return {
    async update() {
      lay(await getJson(page.study.path("times")));
      redraw();
      const busy = bars.reduce((sum, b) => sum + b.end - b.begin, 0);
      const names = [...new Set(bars.filter((b) => b.trial.state === "running").map((b) => b.worker))].filter(Boolean);
      note.textContent = bars.length
        ? `${duration(busy)} of evaluation, at most ${lanes.length} at once. ${names.length ? `At work now: ${names.map(visible).join(", ")}.` : "Nobody is at work now."}`
        : "Nothing has been evaluated yet.";
      canvas.setAttribute("aria-label", `${looks.running.words} and past evaluations over time. ${note.textContent}`);
      keys.replaceChildren(legend(countLooks(bars.map((b) => b.trial))));
    },
    redraw,
  };
}
