// Each value as its model predicts it from all the other designs, against what was measured.
import { canvasIn, el, ink, nice, visible } from "./dom.js";
import { Frame, linear } from "./frame.js";
import { getJson } from "./api.js";
import { ring, valueOf } from "./looks.js";

export function checks(host, page) {
  let found = [];
  let panels = [];
  const grid = el("div", { class: "figures" });
  host.append(
    el("p", {}, "Each value as its model predicts it from all the other designs, ±2 standard deviations of a measurement. With a good model about 95 of 100 bars cross the diagonal; those that do not are diamonds."),
    grid,
  );

  function panel(k) {
    const box = el("figure", { class: "small" });
    const title = el("h3");
    const words = el("figcaption");
    let frame = null;
    let points = [];
    box.append(title);

    function draw(c, width, height) {
      if (!points.length) return;
      const sorted = points.map((p) => p.value).sort((a, b) => a - b);
      const air = 0.06 * (sorted.at(-1) - sorted[0]) || 1;
      const scale = linear(sorted[0] - air, sorted.at(-1) + air);
      frame = new Frame(c, width, height, scale, scale, { left: 64 });
      frame.axes("measured", "predicted from the others");
      frame.clip(() => {
        frame.rule(frame.left, frame.top + frame.height, frame.left + frame.width, frame.top, "soft");
        const { min, max } = outcome();
        for (const limit of [min, max]) {
          if (limit === null || outcome() === page.study.problem.outcomes[0]) continue;
          frame.rule(frame.x(limit), frame.top, frame.x(limit), frame.top + frame.height, "limit", [5, 3]);
          frame.rule(frame.left, frame.y(limit), frame.left + frame.width, frame.y(limit), "limit", [5, 3]);
        }
        for (const p of points) dot(c, p);
      });
      frame.border();
    }

    function dot(c, { trial, value, mean, sd, within }) {
      const [x, y] = [frame.x(value), frame.y(mean)];
      frame.rule(x, frame.y(mean - 2 * sd), x, frame.y(mean + 2 * sd), within ? "mean" : "limit");
      c.beginPath();
      if (within) c.arc(x, y, 3, 0, 7);
      else for (const [a, b] of [[0, -4.5], [4.5, 0], [0, 4.5], [-4.5, 0], [0, -4.5]]) c.lineTo(x + a, y + b);
      c.fillStyle = ink(within ? "mean" : "paper");
      c.strokeStyle = ink(within ? "paper" : "limit");
      c.lineWidth = within ? 0.6 : 1.4;
      c.fill();
      c.stroke();
      if (trial === page.picked) ring(c, x, y, 7);
    }

    const outcome = () => page.study.problem.outcomes.find((o) => o.name === found[k].outcome);
    const { canvas, redraw } = canvasIn(box, 300, draw, { role: "img" });
    box.append(words);
    const nearest = (event) => {
      if (!frame) return null;
      const far = (p) => (frame.x(p.value) - event.offsetX) ** 2 + (frame.y(p.mean) - event.offsetY) ** 2;
      const best = points.reduce((a, p) => (!a || far(p) < far(a) ? p : a), null);
      return best && far(best) < 200 ? best : null;
    };
    canvas.addEventListener("pointermove", (event) => {
      const p = nearest(event);
      page.say(p && `trial ${p.trial}: measured ${nice(p.value)}, predicted ${nice(p.mean)} ± ${nice(2 * p.sd, 2)}`, event.clientX, event.clientY);
      canvas.style.cursor = p ? "pointer" : "";
    });
    canvas.addEventListener("pointerleave", () => page.say(null));
    canvas.addEventListener("click", (event) => nearest(event) && page.pick(nearest(event).trial));
    grid.append(box);
    return {
      take() {
        const { mean, sd } = found[k];
        title.textContent = visible(found[k].outcome);
        points = page.study.trials.flatMap((trial, i) => {
          const value = valueOf(trial, found[k].outcome);
          if (value === null || mean[i] === null || mean[i] === undefined) return [];
          return [{ trial: trial.trial, value, mean: mean[i], sd: sd[i], within: Math.abs(value - mean[i]) <= 2 * sd[i] * (1 + 1e-9) }];
        });
        const good = points.filter((p) => p.within).length;
        words.textContent = points.length ? `${good} of ${points.length} within 2 sd` : "This needs at least two measured designs.";
        canvas.setAttribute("aria-label", `${visible(found[k].outcome)}: ${words.textContent}`);
        redraw();
      },
      redraw,
    };
  }

  return {
    async update() {
      found = await getJson(page.study.path("checks"));
      if (panels.length !== found.length) {
        grid.replaceChildren();
        panels = found.map((_, k) => panel(k));
      }
      panels.forEach((one) => one.take());
    },
    redraw: () => panels.forEach((one) => one.redraw()),
  };
}
