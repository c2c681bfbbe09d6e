#!/usr/bin/env python3
"""serve_smooth.py CKG: how long frames last in Chromium while somebody uses the page of a study of 10,000 trials, as a table for bench/results/serve.md.

What needs models is answered as a study of 40 trials with the same problem answers it: what is looked at is the page, not how long models of 10,000 trials take."""
import json
import pathlib
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/browser"))
from browser import Browser  # noqa: E402
from harness import Folder, check, problem, wait_for  # noqa: E402
from test_serve import Server  # noqa: E402

TRIALS, FEW = 10000, 40
WATCH = """(() => {
  const seen = (window.seen = { frames: [], tasks: [], on: true });
  let last = performance.now();
  const frame = (now) => { seen.frames.push(now - last); last = now; if (seen.on) requestAnimationFrame(frame); };
  requestAnimationFrame((now) => { last = now; requestAnimationFrame(frame); });
  new PerformanceObserver((list) => seen.on && seen.tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({ entryTypes: ["longtask"] });
})()"""


def study(folder, name, count):
    folder.write(f"{name}.yaml", problem(name, [], budget=2 * TRIALS, policy="sobol", more="model: {samples: 1}\n"))
    rows = [f"{(i * 37 % 9973) / 9973},{(i * 101 % 9967) / 9967},{(i * 7919 % 10007) / 1000},{(i % 3) - 1}" for i in range(count)]
    folder.write(f"{name}.csv", "x,y,f,c\n" + "\n".join(rows) + "\n")
    folder.ckg("import", f"{name}.yaml", f"{name}.csv", "--quiet", expect=0)


def at(values, share):
    return sorted(values)[round(share * (len(values) - 1))]


def watched(page, name, act):
    """A row: frames while that is done."""
    page.get(WATCH)
    act()
    page.get("new Promise((resolve) => setTimeout(resolve, 300))")
    seen = page.get("((window.seen.on = false), { frames: window.seen.frames, tasks: window.seen.tasks })")
    frames = seen["frames"]
    print(f"| {name} | {len(frames)} | {at(frames, 0.5):.0f} | {at(frames, 0.95):.0f} | {max(frames):.0f} | {len(seen['tasks'])} | {max(seen['tasks'], default=0):.0f} |", flush=True)


def canned(page, server):
    """The answers of the small study for the large one."""
    for name in ("status", "recommend", "frontier"):
        page.answer(f"**/api/v1/studies/1/{name}", server.text(f"/api/v1/studies/2/{name}"))
    for kind in ("frontier", "residuals"):
        of = urllib.parse.quote(json.dumps({"kind": kind}))
        page.answer(f"**/api/v1/studies/1/figure?*{kind}*", server.text(f"/api/v1/studies/2/figure?of={of}"))
    nothing = urllib.parse.quote("{}")
    for name in ("slices", "map"):
        page.answer(f"**/api/v1/studies/1/{name}?**", server.text(f"/api/v1/studies/2/{name}?of={nothing}"))
    page.answer("**/api/v1/studies/1/predict?**", server.text("/api/v1/studies/2/predict?at=" + urllib.parse.quote(json.dumps({"x": 0.5, "y": 0.5}))))


def use(page):
    def zoom():
        for _ in range(4):
            page.click("#convergence [aria-label='zoom in']")
        for _ in range(4):
            page.click("#convergence [aria-label='zoom out']")
        page.drag("#convergence .u-over", [200, 100], [700, 250], 20)
        page.click("#convergence [aria-label='show all trials']")

    def filters():
        for text in ("4", "47", "471", "4711", ""):
            page.fill("#trials input", text)
        for kind in ("infeasible", "feasible", "all"):
            page.select("#trials select", kind)

    def sorts():
        for k in (3, 4, 5, 1):
            page.click(f"#trials th:nth-child({k}) button")

    def scroll():
        page.get("(async () => { const s = document.querySelector('.scroller'); for (let i = 0; i < 60; i++) { s.scrollTop += 400; await new Promise((r) => requestAnimationFrame(r)); } })()")

    print("| what is done | frames | median, ms | p95, ms | longest, ms | tasks over 50 ms | longest, ms |\n|---|---|---|---|---|---|---|")
    watched(page, "nothing", lambda: page.get("new Promise((resolve) => setTimeout(resolve, 1500))"))
    watched(page, "convergence: pointing along the trials", lambda: page.drag("#convergence .tools", [100, 60], [900, 250], 40))
    watched(page, "convergence: zooming in, out, by dragging", zoom)
    page.get("document.querySelector('#maps').scrollIntoView()")
    page.wait("document.querySelector('#maps .predicted dd')")
    watched(page, "map: pointing", lambda: page.drag("#maps .note", [10, 60], [400, 300], 40))
    page.get("document.querySelector('#slices').scrollIntoView()")
    page.wait("document.querySelectorAll('#slices canvas').length === 2")
    watched(page, "slices: dragging the design", lambda: page.drag("#slices canvas", [120, 60], [350, 60], 40))
    page.get("document.querySelector('#parallel').scrollIntoView()")
    page.wait("document.querySelector('#parallel canvas')")
    watched(page, "all at once: brushing an axis", lambda: page.drag("#parallel canvas", [44, 100], [44, 250], 30))
    page.click("#parallel .tools button:last-child")
    page.get("document.querySelector('#trials').scrollIntoView()")
    watched(page, "table: filtering and finding", filters)
    watched(page, "table: sorting by four columns", sorts)
    watched(page, "table: scrolling 24,000 pixels", scroll)
    watched(page, "a trial picked, everywhere", lambda: page.click("#trials tbody tr:nth-child(9) td:nth-child(3)"))


def main():
    with Folder() as folder, Browser() as browser:
        study(folder, "many", TRIALS)
        study(folder, "few", FEW)
        with Server(folder, "many.yaml", "few.yaml") as server, browser.page(width=1280, height=900) as page:
            wait_for(lambda: [s.get("trials") for s in server.lines("studies")] == [TRIALS, FEW])
            canned(page, server)
            page.goto(f"http://127.0.0.1:{server.port}/study/1")
            page.wait("document.querySelector('#convergence canvas') && document.querySelector('#live').textContent === 'live'")
            page.wait("!document.querySelector('#convergence[aria-busy]')")
            use(page)
            check(page.get("document.querySelectorAll('.trouble').length") == 0, page.get("[...document.querySelectorAll('.trouble')].map((e) => e.textContent)"))


if __name__ == "__main__":
    main()
