// The objective against the probability of feasibility: what each bit of safety costs, and what is recommended.
import { canvasIn, chance, el, ink, nice } from "./dom.js";
import { Frame, linear } from "./frame.js";
import { getLines } from "./api.js";
import { star } from "./looks.js";

export function frontier(host, page) {
  let points = [];
  let frame = null;
  host.append(el("p", {}, "How good the objective is predicted to be if a design must be feasible with some probability (±2 standard deviations), and the design that is recommended. Choose a point to look around it."));
  const box = el("div", { class: "canvas" });
  const list = el("ol", { class: "points", "aria-label": "designs by probability" });
  host.append(box, list);
  box.hidden = true; // until there is something to see

  // Evenly apart, whatever the probabilities are.
  const place = (p) => {
    const logit = (q) => Math.log(q / (1 - q));
    const at = points.findIndex((point) => point.probability >= p);
    if (at < 0) return points.length - 1;
    if (at === 0) return 0;
    const [a, b] = [points[at - 1].probability, points[at].probability];
    return at - 1 + (logit(p) - logit(a)) / (logit(b) - logit(a));
  };

  function draw(c, width, height) {
    const found = points.filter((p) => p.recommendation);
    if (!found.length) return;
    const recommended = page.recommendation;
    const reach = found.flatMap(({ recommendation: { objective } }) => [objective.mean - 2 * objective.sd, objective.mean + 2 * objective.sd]);
    if (recommended) reach.push(recommended.objective.mean);
    const [low, high] = [Math.min(...reach), Math.max(...reach)];
    const x = linear(-0.5, points.length - 0.5);
    x.ticks = points.map((p, i) => [i, String(p.probability)]);
    frame = new Frame(c, width, height, x, linear(low - 0.08 * (high - low), high + 0.08 * (high - low)), { left: 76 });
    frame.axes("probability of being feasible, at least", page.study.problem.outcomes[0].title);
    c.strokeStyle = ink("mean");
    c.lineWidth = 2;
    c.beginPath();
    points.forEach(({ recommendation: r }, i) => r && c.lineTo(frame.x(i), frame.y(r.objective.mean)));
    c.stroke();
    points.forEach(({ recommendation: r }, i) => {
      if (!r) return;
      const { mean, sd } = r.objective;
      frame.rule(frame.x(i), frame.y(mean - 2 * sd), frame.x(i), frame.y(mean + 2 * sd), "mean", [], 1.5);
      c.beginPath();
      c.arc(frame.x(i), frame.y(mean), 5, 0, 7);
      c.fillStyle = ink("mean");
      c.fill();
      c.strokeStyle = ink("paper");
      c.lineWidth = 1;
      c.stroke();
    });
    if (recommended?.probability_feasible) star(c, frame.x(place(Math.min(recommended.probability_feasible, 0.99999))), frame.y(recommended.objective.mean), 6);
    frame.border();
  }
  const { canvas, redraw } = canvasIn(box, (width) => (width < 600 ? 260 : 320), draw, { role: "img" });

  const nearest = (event) => {
    const at = frame?.at(event.offsetX, event.offsetY);
    const k = at ? Math.round(at[0]) : -1;
    return points[k]?.recommendation ? k : -1;
  };
  const words = ({ probability, recommendation: r }) => `at least ${probability}: ${nice(r.objective.mean)} ± ${nice(2 * r.objective.sd, 2)}`;
  canvas.addEventListener("pointermove", (event) => {
    const k = nearest(event);
    page.say(k < 0 ? null : words(points[k]), event.clientX, event.clientY);
    canvas.style.cursor = k < 0 ? "" : "pointer";
  });
  canvas.addEventListener("pointerleave", () => page.say(null));
  const go = (k) => page.explore(points[k].recommendation.parameters, `what is best with probability ${points[k].probability}`);
  canvas.addEventListener("click", (event) => nearest(event) >= 0 && go(nearest(event)));

  return {
    async update() {
      points = await getLines(page.study.path("frontier"));
      box.hidden = !points.some((p) => p.recommendation);
      redraw();
      canvas.setAttribute("aria-label", "the best predicted objective for each probability of being feasible; the list below has the numbers");
      list.replaceChildren(
        ...points.map((p, k) =>
          el("li", {}, p.recommendation ? el("button", { type: "button", click: () => go(k), title: "look around this design" }, words(p)) : el("span", { class: "note" }, `at least ${p.probability}: no design is`)),
        ),
      );
      const r = page.recommendation;
      if (r) list.append(el("li", { class: "note" }, `★ recommended: ${nice(r.objective.mean)}, feasible with probability ${chance(r.probability_feasible)}`));
    },
    redraw,
  };
}
