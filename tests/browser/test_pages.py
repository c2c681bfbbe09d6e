#!/usr/bin/env python3
"""test_pages.py CKG [TEST…]: every page of `ckg serve` and every action in a real browser: at a desk and on a phone, light and dark, while a study runs, while the
server is away, with 10,000 trials and with odd names. CKG_SHOTS=FOLDER keeps pictures."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "app"))
from browser import DESK, LONG, PHONE, Browser
from harness import Folder, check, main, once_there, problem, scale, wait_for
from test_names import NAMES
from test_serve import LIGHTLY, Server

EVALUATE = ["python3", "-c", "import json, os, sys; p = json.load(sys.stdin); os.environ['CKG_TRIAL'] == '4' and sys.exit('the mesh <b>broke</b>'); "
            "print(json.dumps({'f': (p['x'] - .3) ** 2 + p['y'], 'c': .4 - p['x']}))"]
FITS = "document.documentElement.scrollWidth <= window.innerWidth"


def finished(folder, name="spring", budget=9, policy="sobol"):
    folder.write(f"{name}.yaml", problem(name, EVALUATE, budget=budget, policy=policy, more=LIGHTLY))
    folder.ckg("run", f"{name}.yaml", "--quiet", expect=0)
    return f"{name}.yaml"


def rows(page):
    """The trials that the table shows, in its order."""
    return page.get("[...document.querySelectorAll('#trials tbody a')].map((a) => Number(a.textContent))")


def inked(page, what):
    """Whether the canvas has anything on it."""
    return page.get(f"(() => {{ const c = document.querySelector({json.dumps(what)}); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; "
                    "return d.some((v, i) => i % 4 === 3 && v > 0); })()")


def pointed(page, what, like):
    """Where in the canvas the pointer finds words like these, by going over all of it, and the words."""
    found = page.get(f"""(() => {{ const c = document.querySelector({json.dumps(what)}), tip = document.querySelector('.tip'), b = c.getBoundingClientRect();
        for (let y = 4; y < b.height; y += 4) for (let x = 4; x < b.width; x += 4) {{
            c.dispatchEvent(new PointerEvent('pointermove', {{clientX: b.left + x, clientY: b.top + y, bubbles: true}}));
            if (!tip.hidden && {like}.test(tip.textContent)) return [x, y, tip.textContent]; }} }})()""")
    check(found, "nothing like", like, "is found in", what)
    return found


# --- one study ---


def test_study():
    """Every part is drawn; the table filters and sorts; a trial is found by mouse and by keyboard."""
    with Folder() as folder, Browser() as browser:
        study = finished(folder)
        with Server(folder, study) as server:
            wait_for(lambda: server.lines("studies"))
            with browser.page(**LONG) as page:
                page.goto(f"http://127.0.0.1:{server.port}/study/1")
                page.drawn()
                for what in ("#convergence canvas", "#frontier canvas", "#maps .map canvas", "#slices canvas", "#parallel canvas", "#timeline canvas", "#checks canvas"):
                    check(inked(page, what), "nothing is drawn in", what)
                check(page.get("document.querySelectorAll('#importance svg, #study table, #models table').length") >= 3, "what the report draws is not there")
                check("of 8 within 2 sd" in page.text("#checks figcaption"), page.text("#checks"))
                check(page.get("['header', 'main', 'nav', 'footer'].every((tag) => document.querySelector(tag))"), "a landmark is missing")
                check(page.get("[...document.querySelectorAll('canvas')].every((c) => c.closest('[aria-hidden]') || c.closest('[role=img]'))"), "a picture without words")
                check(page.get("[...document.querySelectorAll('button, input, select')].every((b) => b.innerText || b.labels?.length || b.ariaLabel || b.closest('label'))"),
                      "a control without a name")
                check("9 of 9" in page.text("#tiles") and "probability" in page.text("#tiles") and "expected gain" in page.text("#tiles"), page.text("#tiles"))

                # The table.
                check(rows(page) == list(range(9, 0, -1)), "another order:", rows(page))
                page.click("#trials th:nth-child(3) button")
                values = {t["trial"]: t["values"].get("f") for t in folder.trials(study)}
                check(rows(page) == sorted(values, key=lambda n: (values[n] is None, values[n], n)), "not by f:", rows(page))
                page.select("#trials select", "failed")
                check(rows(page) == [4] and "the mesh <b>broke</b>" in page.text("#trials tbody tr:not(.space) .why"), "the failed one:", rows(page))
                page.select("#trials select", "all")
                page.fill("#trials input", "mesh")
                check(rows(page) == [4], "found", rows(page))
                page.fill("#trials input", "")

                # A trial by mouse, by keyboard, and away again.
                page.click("#trials tbody:nth-of-type(2) tr td:nth-child(2)")
                check(f"Trial {rows(page)[0]}" in page.text(".peek"), "another trial")
                page.press("Escape")
                check(page.text(".peek") is None, "it stays")
                page.get("document.querySelector('#convergence .plot').focus()")
                page.press("ArrowRight")
                page.press("ArrowRight")
                check("Trial 2" in page.text(".peek"), page.text(".peek"))

                # Brushing, in the picture and by the keyboard's way.
                page.fill("#parallel input[aria-label=from]", "0.5")
                page.click("#parallel .tools button:nth-of-type(1)")
                high = [t["trial"] for t in folder.trials(study) if t["parameters"]["x"] >= 0.5]
                check(sorted(rows(page)) == sorted(high), "brushed", rows(page), "instead of", high)
                page.click("#parallel .chips button")
                check(len(rows(page)) == 9, "the brush stays")

                # Every picture says what is under the pointer, and a trial there is taken by a click.
                for what, like in (("#frontier", "/feasible with probability 0.5 or more/"), ("#maps .map", "/x .*, y .* feasible with probability/"), ("#slices", "/x .*: .* ± /")):
                    pointed(page, f"{what} canvas", like)
                for what in ("#convergence", "#timeline", "#checks"):
                    x, y, words = pointed(page, f"{what} canvas", "/trial [1-9]/")
                    page.click(f"{what} canvas", at=[x, y])
                    check(words.split(":")[0].split(",")[0].capitalize() in page.text(".peek"), what, "takes another trial than", words, page.text(".peek"))
                    page.press("Escape")

                # Zoom and back: the trials beside what is looked at are not there.
                x, y, first = pointed(page, "#convergence canvas", "/trial 1,/")
                page.drag("#convergence canvas", [x + 60, 60], [x + 400, 200])
                near = pointed(page, "#convergence canvas", "/trial [1-9]/")[2]
                check(not near.startswith("trial 1,"), "it is not closer:", near)
                page.click("#convergence .group button:last-child")
                check(pointed(page, "#convergence canvas", "/trial 1,/") == [x, y, first], "not all is back")
                page.shot("study", full=True)
            with browser.page(dark=True, **PHONE) as page:
                page.goto(f"http://127.0.0.1:{server.port}/study/1/trial/4")
                page.wait("document.querySelector('main nav a')")
                check("the mesh <b>broke</b>" in page.text("main") and page.get("document.querySelector('main b') === null"), "why it failed:", page.text("main"))
                worker = json.loads(folder.ckg("trials", study, "4", "--json", expect=0).out)["worker"]
                check(worker and f"evaluated by\t{worker}" in page.text("main") and "chosen by\tinitial" in page.text("main"), "who evaluated it:", page.text("main"))
                page.click("main nav a:last-child")
                page.wait("document.querySelector('h1').textContent === 'Trial 5'")
                check(page.get(FITS), "it is too wide for a phone")
                page.shot("trial-phone-dark")


def test_explore():
    """Another design from the map, from a slice, by arrow keys; what is predicted there; other parameters and shades; back to the recommended."""
    with Folder() as folder, Browser() as browser:
        study = finished(folder)
        with Server(folder, study) as server, browser.page(**LONG) as page:
            wait_for(lambda: server.lines("studies"))
            page.goto(f"http://127.0.0.1:{server.port}/study/1")
            page.drawn()
            check("recommended design" in page.text("#maps .design"), page.text("#maps .design"))
            page.click("#maps .map canvas", at=[300, 120])
            page.wait("document.querySelector('#maps .design b').textContent === 'a design from the map'")
            page.get("document.querySelector('#slices input[type=range]').focus()")
            page.press("ArrowRight")
            page.wait("document.querySelector('#slices .design b').textContent === 'a design of your own'")
            page.wait("/probability of being feasible\\s+[<>0-9]/.test(document.querySelector('#slices .design').innerText)")
            page.drag("#slices canvas", [150, 60], [220, 60])
            before = page.text("#slices output")
            page.get("document.querySelector('#maps .map canvas').focus()")
            page.press("ArrowRight")
            page.wait(f"document.querySelector('#slices output').innerText !== {json.dumps(before)}")
            page.select("#maps .tools label:nth-of-type(1) select", "1")
            page.wait("document.querySelector('#maps canvas').ariaLabel.startsWith('map of y and x')")
            page.select("#maps .tools label:nth-of-type(3) select", "m0")
            check(inked(page, "#maps .map canvas"), "no map of an outcome")
            page.click("#maps .actions button")
            page.wait("document.querySelector('#maps .design b').textContent === 'the recommended design'")
            page.click("#frontier .points button")
            page.wait("/what is best with probability/.test(document.querySelector('#maps .design b').textContent)")
            page.select("#slices select", "1")
            page.drawn()

            # A link to the map: what is recommended is known there though the tiles are out of sight.
            with browser.page(**DESK) as below:
                below.goto(f"http://127.0.0.1:{server.port}/study/1#checks")
                below.wait("document.querySelector('#checks canvas')")
                below.get("location.hash = '#maps'")
                below.wait("document.querySelector('#maps .design b')?.textContent === 'the recommended design'")


def test_all_studies():
    """The list with probabilities; several compared; a study that comes later is there by itself."""
    with Folder() as folder, Browser() as browser:
        for name in ("first", "second"):
            folder.write(f"{name}.yaml", problem(name, EVALUATE, budget=6, more=LIGHTLY))
            folder.ckg("run", f"{name}.yaml", "--store", "all.db", "--quiet", expect=0)
        with Server(folder, "--store", "all.db") as server, browser.page(**DESK) as page:
            wait_for(lambda: len(server.lines("studies")) == 2)
            page.goto(f"http://127.0.0.1:{server.port}/")
            page.wait("[...document.querySelectorAll('#studies .chance')].length === 2 && [...document.querySelectorAll('#studies .chance')].every((c) => c.textContent)")
            page.click("#studies tr:nth-child(1) input")
            page.click("#studies tr:nth-child(2) input")
            page.wait("document.querySelectorAll('#compare .legend li').length === 2")
            check(inked(page, "#compare canvas"), "nothing is compared")
            folder.write("third.yaml", problem("third", []))
            folder.ckg("ask", "third.yaml", "--store", "all.db", expect=0)
            page.wait("document.querySelectorAll('#studies tbody tr').length === 3")
            check(page.get("document.querySelectorAll('#studies input:checked').length") == 2, "what was chosen is forgotten")
            page.shot("studies")


# --- live ---


def test_live():
    """A study that runs updates the page by itself; a server that ends and comes again finds the page again."""
    script = once_there("go", "rm go; echo '{\"f\": 1, \"c\": -1}'")
    with Folder() as folder, Browser() as browser, browser.page(**DESK) as page:
        folder.write("slow.yaml", problem("slow", ["sh", "-c", script], budget=4, more=LIGHTLY))
        with Server(folder, "slow.yaml") as server:
            wait_for(lambda: server.lines("studies"))
            page.goto(f"http://127.0.0.1:{server.port}/study/1")
            page.wait("document.querySelector('#live').textContent === 'live'")
            run = folder.start("run", "slow.yaml", "--quiet")
            page.wait("/1 running/.test(document.querySelector('#tiles').innerText)")
            (folder / "go").touch()
            page.wait("/1 of 4/.test(document.querySelector('#tiles').innerText) && /1 running/.test(document.querySelector('#tiles').innerText)")
            page.shot("running")
        page.wait("document.querySelector('#live').dataset.there === 'false'")
        (folder / "go").touch()
        wait_for(lambda: folder.status("slow.yaml")["complete"] == 2)
        with Server(folder, "slow.yaml", listen=f"127.0.0.1:{server.port}"):
            page.wait("document.querySelector('#live').dataset.there === 'true' && /2 of 4/.test(document.querySelector('#tiles').innerText)")
            for done in (3, 4):
                (folder / "go").touch()
                page.wait(f"/{done} of 4/.test(document.querySelector('#tiles').innerText)")
            check(run.wait() == 0, "the run failed")
            page.wait("/done/.test(document.querySelector('#tiles').innerText)")


def test_slow_answers():
    """The problem is there and the study's state is still on its way: nothing is drawn from half of a study."""
    with Folder() as folder, Browser() as browser:
        study = finished(folder)
        with Server(folder, study) as server, browser.page(**LONG) as page:
            wait_for(lambda: server.lines("studies"))
            page.hold("**/api/v1/studies/1", 1000)
            page.goto(f"http://127.0.0.1:{server.port}/study/1")
            page.wait("performance.getEntriesByType('resource').some((r) => r.name.endsWith('/problem') && r.responseEnd > 0)")
            page.get("location.hash = '#trials'")
            page.wait("document.querySelector('#tiles').innerText.includes('9 of 9')")
            page.drawn()


# --- steering ---


def test_lab():
    """At the bench, by phone: the next design, a result with one value missing, a slip that is refused, a failure, and undo."""
    with Folder() as folder, Browser() as browser:
        folder.write("bench.yaml", problem("bench", [], budget=20))
        folder.ckg("ask", "bench.yaml", expect=0)
        with Server(folder, "bench.yaml", "--steer") as server:
            with browser.page(**PHONE) as page:
                page.goto(f"http://127.0.0.1:{server.port}/study/1/lab?token={server.token}")
                page.wait("document.querySelectorAll('.card').length === 1")
                check(page.get(FITS), "it is too wide for a phone")
                check(page.get("[...document.querySelectorAll('.card .field input')].every((i) => i.getBoundingClientRect().height >= 44)"), "fields for small fingers only")
                page.shot("lab-phone", full=True)
                page.fill(".card .field:nth-of-type(1) input", "1,5x")
                page.click(".card .main")
                page.wait("/no number/.test(document.querySelector('.card .wrong').textContent)")
                page.fill(".card .field:nth-of-type(1) input", "1,5")
                page.click(".card .main")
                page.wait("document.querySelectorAll('.card').length === 0")
                check(folder.trials("bench.yaml")[0]["values"] == {"f": 1.5}, folder.trials("bench.yaml")[0])
                page.click(".toast button")
                page.wait("document.querySelectorAll('.card').length === 1")
                check(folder.trials("bench.yaml")[0]["state"] == "pending", "it was not taken back")
                page.get("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Next design').click()")
                page.wait("document.querySelectorAll('.card').length === 2")
                page.click(".card:nth-child(2) summary")
                page.fill(".card:nth-child(2) details input", "it <i>slipped</i>")
                page.click(".card:nth-child(2) details .main")
                page.wait("document.querySelectorAll('.card').length === 1")
                check(folder.trials("bench.yaml")[1]["why"] == "it <i>slipped</i>", folder.trials("bench.yaml")[1])

            # Who has no token only looks.
            with browser.page(**PHONE) as page:
                page.goto(f"http://127.0.0.1:{server.port}/study/1/lab")
                page.wait("/only shows/.test(document.querySelector('main').innerText)")
                check(page.get("document.querySelectorAll('.card input, main button').length") == 0, "fields for who may not")


def test_yes_or_no():
    """A constraint that answers yes or no is chosen, not typed, and stands so in the table."""
    with Folder() as folder, Browser() as browser:
        folder.write("wing.yaml", problem("wing", [], budget=20).replace("c: {max: 0, noise: none}", "flies: {type: yesno}"))
        folder.ckg("ask", "wing.yaml", expect=0)
        with Server(folder, "wing.yaml", "--steer") as server, browser.page(**PHONE) as page:
            page.goto(f"http://127.0.0.1:{server.port}/study/1/lab?token={server.token}")
            page.wait("document.querySelectorAll('.card').length === 1")
            page.fill(".card .field:nth-of-type(1) input", "2")
            page.select(".card .field select", "no")
            page.click(".card .main")
            page.wait("document.querySelectorAll('.card').length === 0")
            check(folder.trials("wing.yaml")[0]["values"] == {"f": 2, "flies": False}, folder.trials("wing.yaml")[0])
            page.goto(f"http://127.0.0.1:{server.port}/study/1#trials")
            page.wait("/\\bno\\b/.test(document.querySelector('#trials tbody:nth-of-type(2)')?.innerText)")


def test_plain():
    """One parameter and no constraint: no map, nothing that safety could cost, trials counted in whole numbers; and nothing is blank where nothing is known."""
    with Folder() as folder, Browser() as browser:
        definition = {"name": "plain", "goal": "minimize", "budget": 4, "policy": "sobol", "seed": 1, "parameters": {"x": {"type": "real", "low": 0, "high": 1}}, "objective": {"name": "f"},
                      "evaluate": {"command": ["sh", "-c", "echo '{\"f\": 1}'"]}, "model": {"samples": 1}}
        folder.write("plain.yaml", json.dumps(definition))
        folder.ckg("run", "plain.yaml", "--quiet", expect=0)
        folder.write("new.yaml", problem("new", [], budget=9))
        with Server(folder, "plain.yaml", "new.yaml") as server:
            wait_for(lambda: len(server.lines("studies")) == 2)
            for study, left_out in ((1, ["frontier", "maps"]), (2, [])):
                with browser.page(**LONG) as page:
                    page.goto(f"http://127.0.0.1:{server.port}/study/{study}")
                    page.wait("document.querySelector('#live').textContent === 'live' && document.querySelector('#convergence canvas')")
                    page.drawn()
                    check(page.get("[...document.querySelectorAll('main section[hidden]')].map((s) => s.id)") == left_out, page.get("[...document.querySelectorAll('[hidden]')].map((s) => s.id)"))
                    links = page.get("[...document.querySelectorAll('nav.sections a')].filter((a) => a.offsetParent).map((a) => a.hash.slice(1))")
                    check(not set(left_out) & set(links) and len(links) == 12 - len(left_out), links)
            check("nothing to recommend" in server.ask("/api/v1/studies/2/frontier").body.decode(), "something is recommended")


def test_steer():
    """From the study's page: a design by hand and from the map; pause, go on, stop; budget and limits; retry. From a trial's page: correct, discard, take in again."""
    with Folder() as folder, Browser() as browser:
        study = finished(folder)
        with Server(folder, study, "--steer") as server, browser.page(**LONG) as page:
            wait_for(lambda: server.lines("studies"))

            def press(words):
                """At one go: a button may be another's a moment later."""
                page.wait(f"((b) => b && (b.click(), true))([...document.querySelectorAll('dialog[open] button, .steer button, main .actions button')].find((b) => b.textContent === {json.dumps(words)}))")

            page.goto(f"http://127.0.0.1:{server.port}/study/1?token={server.token}")
            page.drawn()

            # Room for more, and designs of one's own.
            press("Budget and limits …")
            page.fill("dialog form:nth-of-type(1) input", "33")
            press("Change the budget")
            wait_for(lambda: server.json("studies/1")["budget"] == 33)
            page.wait("document.querySelector('dialog') === null")
            press("Evaluate a design …")
            page.fill("dialog .field:nth-of-type(1) input", "0.75")
            page.fill("dialog .field:nth-of-type(2) input", "7")
            page.shot("steer")
            press("Queue it")
            page.wait("document.querySelector('dialog .wrong').textContent !== ''")
            page.fill("dialog .field:nth-of-type(2) input", "0.25")
            press("Queue it")
            page.wait("document.querySelector('dialog') === null")
            wait_for(lambda: len(folder.trials(study)) == 10)
            check(folder.trials(study)[9]["parameters"] == {"x": 0.75, "y": 0.25}, folder.trials(study)[9])
            page.click("#maps .map canvas", at=[300, 120])
            press("Evaluate this design …")
            press("Queue it")
            wait_for(lambda: len(folder.trials(study)) == 11)
            press("Undo")
            wait_for(lambda: len(folder.trials(study)) == 10)
            press("Retry 1 failed")
            wait_for(lambda: folder.trials(study)[3]["state"] == "pending")

            # The study as a whole.
            press("Pause")
            page.wait("[...document.querySelectorAll('.steer button')].some((b) => b.textContent === 'Go on')")
            check(server.json("studies/1")["paused_by_user"]["stopped"] is False, server.json("studies/1"))
            press("Go on")
            wait_for(lambda: server.json("studies/1")["paused_by_user"] is None)
            press("Stop …")
            press("Stop")
            wait_for(lambda: (server.json("studies/1")["paused_by_user"] or {}).get("stopped"))
            press("Go on")
            wait_for(lambda: server.json("studies/1")["paused_by_user"] is None)
            press("Budget and limits …")
            page.fill("dialog input[aria-label='max of c']", "0,1")
            press("What would it do?")
            page.wait("/Feasible trials/.test(document.querySelector('dialog').innerText)")
            press("Change the limits")
            wait_for(lambda: server.json("studies/1/problem")["outcomes"][1]["max"] == 0.1)

            # One trial.
            page.goto(f"http://127.0.0.1:{server.port}/study/1/trial/2")
            press("Correct …")
            page.fill("dialog .field:nth-of-type(1) input", "0.5")
            press("Correct")
            wait_for(lambda: server.lines("studies/1/trials")[1]["values"]["f"] == 0.5)
            press("Discard")
            wait_for(lambda: server.lines("studies/1/trials")[1]["state"] == "discarded")
            press("Take in again")
            wait_for(lambda: server.lines("studies/1/trials")[1]["state"] == "complete")
            page.shot("trial-steer")


# --- use ---


def test_use():
    """The clicks that docs/howto/pages.md counts, from the list of all studies."""
    with Folder() as folder, Browser() as browser:
        study = finished(folder)
        folder.ckg("tell", study, "1", "--replace", "f=0.4", expect=0)
        folder.write("bench.yaml", problem("bench", [], budget=20))
        folder.ckg("ask", "bench.yaml", expect=0)
        with Server(folder, study, "bench.yaml", "--steer") as server:
            wait_for(lambda: len(server.lines("studies")) == 2)
            first = f"http://127.0.0.1:{server.port}/?token={server.token}"

            # The recommended design with its probability: one click, and nothing is scrolled.
            with browser.page(**DESK) as page:
                page.goto(first)
                page.click("#studies tbody tr:nth-child(1) a")
                page.wait("/feasible with probability/.test(document.querySelector('#tiles').innerText) && document.querySelector('#recommendation table')")
                check(page.get("document.querySelector('#recommendation table').getBoundingClientRect().bottom <= window.innerHeight"), "it is below the screen")

                # Which parameter matters: one more.
                page.click("nav.sections a:nth-child(3)")
                page.wait("document.querySelector('#importance svg')")

            # Why a trial failed: three, and the standard error by one more.
            with browser.page(**DESK) as page:
                page.goto(first)
                page.click("#studies tbody tr:nth-child(1) a")
                page.click("nav.sections a[href='#trials']")
                page.wait("document.querySelector('#trials tbody a')")
                page.select("#trials select", "failed")
                check("the mesh" in page.text("#trials tbody tr:not(.space) .why"), "no reason")
                page.click("#trials tbody a")
                page.wait("/standard error/.test(document.querySelector('main')?.innerText)")

            # A result from a phone: three, and what was measured.
            with browser.page(**PHONE) as page:
                page.goto(first)
                page.click("#studies tbody tr:nth-child(2) a")
                page.click(".steer a[href$='/lab']")
                page.fill(".card .field:nth-of-type(1) input", "2.5")
                page.click(".card .main")
                page.wait("document.querySelectorAll('.card').length === 0")
                check(folder.trials("bench.yaml")[0]["values"] == {"f": 2.5}, folder.trials("bench.yaml")[0])


# --- names ---

SKELETON = """(() => [document.title.endsWith(' – ckg'), document.querySelectorAll('script').length,
    [...document.querySelectorAll('body *')].filter((e) => !e.closest('svg')).map((e) => e.tagName + ' ' + [...e.attributes].map((a) => a.name).sort().join(' ')).sort().join('\\n')])()"""


def named_study(folder, name, i):
    definition = {"name": name, "goal": "minimize", "budget": 9, "policy": "sobol", "seed": 1, "model": {"samples": 1}, "objective": {"name": (name + " o")[-200:]},
                  "constraints": {(name + " c")[-200:]: {"max": 0}},
                  "parameters": {(name + " p")[-200:]: {"type": "real", "low": 0, "high": 1}, "kind": {"type": "categorical", "values": [name, "other"]}}}
    folder.write(f"{i}.yaml", json.dumps(definition))
    outcomes, parameters = [(name + " o")[-200:], (name + " c")[-200:]], [(name + " p")[-200:], "kind"]
    trials = [{"parameters": dict(zip(parameters, (k / 5, name if k % 2 else "other"))), "values": dict(zip(outcomes, (k, 2 - k)))} for k in range(1, 4)]
    trials.append({"parameters": dict(zip(parameters, (0.9, name))), "values": {}, "state": "failed", "why": name if name.strip(" \ufeff\u00a0") else "why"})
    folder.write(f"{i}.jsonl", "".join(json.dumps(t) + "\n" for t in trials))
    folder.ckg("import", f"{i}.yaml", f"{i}.jsonl", "--store", "all.db", expect=0)
    folder.ckg("ask", f"{i}.yaml", "--store", "all.db", expect=0)


def look_at_names(names):
    """Each name is everywhere at once, of a study, a parameter, outcomes, a category, a reason: pages have the same elements as those of a plain one."""
    with Folder() as folder, Browser() as browser:
        for i, name in enumerate(names):
            named_study(folder, name, i)
        with Server(folder, "--store", "all.db", "--steer") as server:
            wait_for(lambda: len(server.lines("studies")) == len(names))
            ids = {s["study"]: s["id"] for s in server.lines("studies")}
            plain = {}
            for name in names:
                for path, size in ((f"/study/{ids[name]}", LONG), (f"/study/{ids[name]}/trial/4", DESK), (f"/study/{ids[name]}/lab", PHONE)):
                    with browser.page(**size) as page:
                        page.goto(f"http://127.0.0.1:{server.port}{path}?token={server.token}")
                        page.wait("document.querySelector('#live').textContent === 'live'")
                        page.wait(f"document.querySelector('{'.steer button' if size is LONG else '.card' if size is PHONE else 'main .actions'}')")
                        page.drawn()
                        if size is LONG:
                            page.wait("/feasible with probability|not known/.test(document.querySelector('#tiles').innerText)")
                            page.wait("!/probability of being feasible\\s+–/.test(document.querySelector('#maps').innerText)")
                        found = page.get(SKELETON)
                        kind = path.split("/")[-1] if size is not LONG else "study"
                        plain.setdefault(kind, found)
                        if found != plain[kind]:
                            one, two = (set(s[2].split("\n")) for s in (found, plain[kind]))
                            check(False, "another page for", repr(name), path, found[:2], one - two, two - one, len(found[2]), len(plain[kind][2]))
                        check(page.get("window.pwned === undefined && !document.querySelector('script:not([src])')"), "a name has become a script:", name)


def test_some_names():
    look_at_names(["plain", "<script>alert(1)</script>", "\u202eabc"])


def test_all_names():
    look_at_names(["plain", *NAMES])


# --- sizes ---


def test_many():
    """10,000 trials: the table holds the rows in sight and no more, and every one can be reached."""
    with Folder() as folder, Browser() as browser:
        folder.write("many.yaml", problem("many", [], budget=20000, policy="sobol"))
        folder.write("table.csv", "x,y,f,c\n" + "".join(f"{(i * 37 % 9973) / 9973},{(i * 101 % 9967) / 9967},{(i * 7919 % 10007) / 1000},{(i % 3) - 1}\n" for i in range(10000)))
        folder.ckg("import", "many.yaml", "table.csv", expect=0)
        with Server(folder, "many.yaml") as server, browser.page(**DESK) as page:
            wait_for(lambda: [s["trials"] for s in server.lines("studies")] == [10000])
            page.goto(f"http://127.0.0.1:{server.port}/study/1#trials")
            page.wait("document.querySelectorAll('#trials tbody a').length > 5")
            check(len(rows(page)) < 100 and rows(page)[0] == 10000, "rows:", len(rows(page)))
            page.get("document.querySelector('.scroller').scrollTop = 1e9")
            page.wait("[...document.querySelectorAll('#trials tbody a')].at(-1).textContent === '1'")
            page.fill("#trials input", "4711")
            page.wait("[...document.querySelectorAll('#trials tbody a')].some((a) => a.textContent === '4711')")
            page.fill("#trials input", "")
            page.click("#trials th:nth-child(3) button")
            page.get("document.querySelector('.scroller').scrollTop = 0")
            page.wait("document.querySelector('#trials tbody a').textContent !== '10000'")
            page.get("window.scrollTo(0, 0)")
            page.wait("document.querySelector('#convergence canvas')")
            check(inked(page, "#convergence canvas"), "no convergence of many")
            page.shot("many")


def test_widths():
    """Every page at a desk and on a phone, light and dark: nothing is wider than the window."""
    with Folder() as folder, Browser() as browser:
        study = finished(folder, policy="auto", budget=14)
        with Server(folder, study, "--steer") as server:
            wait_for(lambda: server.lines("studies"))
            for path in ("/", "/study/1", "/study/1/trial/4", "/study/1/lab"):
                for name, size in (("desk", DESK), ("phone", PHONE))[scale(0, 1):]:
                    for dark in (False, True)[scale(0, 1):]:
                        with browser.page(dark=dark, **{**size, "height": 7000}) as page:
                            page.goto(f"http://127.0.0.1:{server.port}{path}?token={server.token}")
                            page.wait("document.querySelector('#live').textContent === 'live'")
                            page.drawn()
                            check(page.get(FITS), path, "is too wide on a", name)
                            page.shot(f"{path.strip('/').replace('/', '-') or 'index'}-{name}-{'dark' if dark else 'light'}", full=True)


if __name__ == "__main__":
    main(globals(), light=[test for name, test in list(globals().items()) if name.startswith("test_") and test is not test_all_names])
