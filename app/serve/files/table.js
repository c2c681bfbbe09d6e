// The table of trials: filters, sorting, and only the rows that are in sight, so that 10,000 stay smooth.
import { choice, el, labelled, nice, own, visible } from "./dom.js";
import { lookOf, looks, valueOf } from "./looks.js";

const rowHeight = 33; // as in style.css
const most = 60; // columns

export function table(host, page) {
  let columns = [];
  let rows = []; // trials, filtered and sorted
  let sorting = { column: 0, down: true };
  let look = "all";
  let text = "";
  let brushing = 0; // the brushes that the rows were chosen by
  let heads = [];
  const head = el("tr", { "aria-rowindex": "1" });
  const above = el("tbody", { "aria-hidden": "true" });
  const body = el("tbody");
  const below = el("tbody", { "aria-hidden": "true" });
  const grid = el("table", { class: "trials" }, el("thead", {}, head), above, body, below);
  const scroller = el("div", { class: "wide scroller", tabindex: "0", role: "region", "aria-label": "table of trials" }, grid);
  const count = el("span", { class: "note", role: "status" });
  const search = el("input", { type: "search", placeholder: "number, value, reason", input: () => ((text = search.value.trim().toLowerCase()), choose()) });
  const states = [["all", "all"], ...Object.entries(looks).reverse().map(([key, value]) => [key, value.words])];
  host.append(
    el("div", { class: "tools" }, labelled("show", choice(states, look, (value) => ((look = value), choose()))), labelled("find", search), count),
    scroller,
  );

  const stateCell = (trial) => el("span", { class: `look ${lookOf(trial)}` }, looks[lookOf(trial)].words);

  // What there is of each trial: a heading, its value for sorting, its cell.
  function layColumns() {
    const { parameters, outcomes } = page.study.problem;
    const number = (of) => (trial) => nice(of(trial));
    columns = [
      {
        title: "trial",
        value: (t) => t.trial,
        cell: (t) => el("a", { href: `/study/${page.id}/trial/${t.trial}` }, String(t.trial)),
      },
      { title: "state", left: true, value: (t) => looks[lookOf(t)].words, cell: stateCell },
      ...outcomes.map((o) => ({ title: o.title, value: (t) => valueOf(t, o.name), cell: o.yesno ? (t) => ["no", "yes"][valueOf(t, o.name)] ?? "–" : number((t) => valueOf(t, o.name)) })),
      ...parameters.map((p) => ({ title: p.title, left: p.type === "categorical", value: (t) => own(t.parameters, p.name), cell: number((t) => own(t.parameters, p.name)) })),
      { title: "seconds", value: (t) => t.seconds, cell: number((t) => t.seconds) },
      { title: "origin", left: true, value: (t) => t.origin, cell: (t) => visible(t.origin) },
      { title: "why", left: true, why: true, value: (t) => t.why, cell: (t) => (t.why ? visible(t.why) : "") },
    ];
    if (columns.length > most) columns = [...columns.slice(0, most - 3), ...columns.slice(-3)];
    heads = columns.map((column, k) =>
      el("th", { scope: "col", class: column.left && "left" }, el("button", { type: "button", class: "sort", click: () => sortBy(k) }, el("span", { class: "name" }, visible(column.title)))),
    );
    head.replaceChildren(...heads);
    grid.setAttribute("aria-colcount", columns.length);
  }

  function sortBy(k) {
    sorting = { column: k, down: sorting.column === k ? !sorting.down : false };
    choose();
  }

  function matches(trial) {
    if (look !== "all" && lookOf(trial) !== look) return false;
    if (page.brushed && !page.brushed(trial)) return false;
    if (!text) return true;
    return columns.some((column) => String(column.value(trial) ?? "").toLowerCase().includes(text));
  }

  // Filters and sorts; what is not there comes last whatever the order.
  function choose() {
    brushing = page.brushing;
    const { value } = columns[sorting.column];
    const sign = sorting.down ? -1 : 1;
    const keyed = page.study.trials.filter(matches).map((trial) => [value(trial) ?? null, trial]);
    keyed.sort(([a, s], [b, t]) => {
      if (a === null || b === null) return (a === null) - (b === null) || s.trial - t.trial;
      return (a < b ? -sign : a > b ? sign : 0) || s.trial - t.trial;
    });
    rows = keyed.map(([, trial]) => trial);
    heads.forEach((th, k) => {
      if (k === sorting.column) th.setAttribute("aria-sort", sorting.down ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    });
    count.textContent = rows.length === page.study.trials.length ? `${rows.length} trials` : `${rows.length} of ${page.study.trials.length} trials`;
    grid.setAttribute("aria-rowcount", rows.length + 1);
    shown = "";
    render();
  }

  let shown = "";
  const space = (tbody, height) => tbody.replaceChildren(...(height > 0 ? [spacer(height)] : []));
  const spacer = (height) => {
    const cell = el("td", { colspan: columns.length });
    cell.style.height = `${height}px`;
    return el("tr", { class: "space" }, cell);
  };

  function render() {
    const room = Math.ceil((scroller.clientHeight || 600) / rowHeight) + 16;
    const first = Math.max(0, Math.min(Math.floor(scroller.scrollTop / rowHeight) - 8, rows.length - room));
    const last = Math.min(rows.length, first + room);
    const key = `${first} ${last} ${page.picked}`;
    if (key === shown) return;
    shown = key;

    // Whoever has gone to a link by the keyboard stays there.
    const focused = body.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    space(above, first * rowHeight);
    body.replaceChildren(
      ...rows.slice(first, last).map((trial, i) => {
        const row = el("tr", { "aria-rowindex": first + i + 2, class: trial.trial === page.picked ? "picked" : null, click: (e) => e.target.closest("a") || page.pick(trial.trial) });
        for (const column of columns) row.append(el("td", { class: column.why ? "why" : column.left ? "left" : null }, column.cell(trial)));
        return row;
      }),
    );
    space(below, (rows.length - last) * rowHeight);
    if (focused) body.querySelector(`a[href="${focused}"]`)?.focus({ preventScroll: true });
  }

  scroller.addEventListener("scroll", () => requestAnimationFrame(render), { passive: true });
  new ResizeObserver(render).observe(scroller);

  let said = "";
  return {
    update() {
      if (said !== page.study.said) {
        said = page.study.said;
        sorting = { column: 0, down: true };
        layColumns();
      }
      choose();
    },
    // Another trial is picked, or others are brushed.
    redraw() {
      if (brushing !== page.brushing) return choose();
      shown = "";
      render();
    },
    // Scrolls to the trial that was picked elsewhere.
    reveal(number) {
      const k = rows.findIndex((trial) => trial.trial === number);
      shown = "";
      if (k >= 0 && (k * rowHeight < scroller.scrollTop || (k + 2) * rowHeight > scroller.scrollTop + scroller.clientHeight)) scroller.scrollTop = k * rowHeight - 60;
      render();
    },
  };
}
