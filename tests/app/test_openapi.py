#!/usr/bin/env python3
"""test_openapi.py CKG: docs/openapi.json says what the server does: every address of the code is there and no other, every example has the shape that it is
documented with, and so has what a server answers, which has no member that is not documented. With --write the examples of what is looked at become what
the server answers now, long lists cut short."""
import json
import pathlib
import re
import sys
import urllib.parse

WRITE = "--write" in sys.argv
sys.argv = [word for word in sys.argv if word != "--write"]
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from harness import Folder, check, main, problem, wait_for
from test_serve import EVALUATE, LIGHTLY
from test_steer import Desk

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "docs/openapi.json"
API = json.loads(FILE.read_text())
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int, "number": (int, float)}


def follow(part):
    while "$ref" in part:
        found = API
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        part = found
    return part


def is_of(value, kind):
    return isinstance(value, TYPES[kind]) and (kind in ("boolean",) or not isinstance(value, bool))


def complaints(value, schema, where):
    """What is wrong with the value by this schema, as far as the file uses the language."""
    schema = follow(schema)
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_of(value, kind) for kind in kinds):
        return [f"{where} is {value!r}, not {kinds}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{where} is {value!r}, not one of {schema['enum']}"]
    if is_of(value, "number") and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return [f"{where} is {value!r}, out of range"]
    found = []
    if isinstance(value, dict):
        known, others = schema.get("properties"), schema.get("additionalProperties", {})
        found += [f"{where} lacks {name}" for name in schema.get("required", []) if name not in value]
        for name, member in value.items():
            if known and name in known:
                found += complaints(member, known[name], f"{where}.{name}")
            elif isinstance(others, dict) and (others or not known):
                found += complaints(member, others, f"{where}.{name}")
            else:
                found.append(f"{where} has {name!r}, which is not documented")
    for i, member in enumerate(value if isinstance(value, list) else []):
        found += complaints(member, schema.get("items", {}), f"{where}[{i}]")
    return found


def contents():
    """(path, method, whether it is the answer, its status, type and content) of everything documented."""
    for path, methods in API["paths"].items():
        for method in {"get", "post"} & set(methods):
            for kind, content in methods[method].get("requestBody", {}).get("content", {}).items():
                yield path, method, None, kind, content
            for status, answer in methods[method]["responses"].items():
                for kind, content in follow(answer).get("content", {}).items():
                    yield path, method, status, kind, content


def query(path):
    """What the examples of its parameters ask for."""
    asked = {}
    for parameter in map(follow, API["paths"][path].get("parameters", []) + API["paths"][path]["get"].get("parameters", [])):
        for content in parameter.get("content", {}).values():
            if parameter["in"] == "query" and "example" in content:
                asked[parameter["name"]] = json.dumps(content["example"])
    return "?" + urllib.parse.urlencode(asked) if asked else ""


def shorten(value):
    if isinstance(value, list):
        return [shorten(member) for member in value[:2]]
    return {name: shorten(member) for name, member in value.items()} if isinstance(value, dict) else value


def test_addresses():
    """The tables of the code, by their rows."""
    names = {}
    for method, files in {"get": ("queries", "grids"), "post": ("changes",)}.items():
        text = "".join((ROOT / f"app/api/{file}.c").read_text() for file in files)
        rows = re.findall(r'\{\s*\.name = "(\w+)"', text)
        check(len(rows) >= 5, "no rows:", rows)
        names[method] = set(rows)
    for method, found in names.items():
        described = {path.split("/")[5] for path, how in API["paths"].items() if path.startswith("/api/v1/studies/{study}/") and method in how}
        check(described == found, method, "of the code and of the file differ by", described ^ found)
    routes = (ROOT / "app/serve/routes.c").read_text()
    forms = [form for form in re.findall(r'"(/api/v1/[^"]*)"', routes) if not re.search(r"\{(query|change)\}", form)]
    check(len(forms) >= 5, "no routes:", forms)
    for form in forms:
        check("get" in API["paths"].get(form.replace("{number}", "{trial}"), {}), form, "is not described")


def test_examples():
    """Every answer and every body has an example, of the shape that it says."""
    for path, method, status, kind, content in contents():
        if kind == "text/event-stream" or (status and status not in ("200",)):
            continue
        check("example" in content, path, method, status, "has no example")
        check("schema" in content, path, method, status, "has no schema")
        found = complaints(content["example"], content["schema"], f"{method} {path}")
        check(not found, "\n".join(found))


def test_answers():
    """What a server answers is what is described; what the examples post is taken."""
    with Folder() as folder:
        folder.write("spring.yaml", problem("spring", EVALUATE, budget=7, more=LIGHTLY))
        folder.ckg("run", "spring.yaml", "--quiet", expect=0)
        with Desk(folder, "spring.yaml") as desk:
            wait_for(lambda: desk.lines("studies"))

            def compare(path, method, kind, content, answer):
                values = [json.loads(line) for line in answer.splitlines()] if kind.endswith("ndjson") else [json.loads(answer)]
                check(values, path, "answers nothing")
                for value in values:
                    found = complaints(value, content["schema"], f"{method} {path}")
                    check(not found, "\n".join(found))
                if isinstance(content["example"], dict) and "Trial" not in content["schema"].get("$ref", ""):
                    check(set(content["example"]) == set(values[-1]), path, "the example has other members:", set(content["example"]) ^ set(values[-1]))

            order = ["budget", "ask", "enqueue", "tell", "discard", "limits", "retry", "undo", "pause", "stop", "resume"]
            posts = {path.split("/")[5]: path for path, how in API["paths"].items() if "post" in how}
            check(set(order) == set(posts), "another action:", set(order) ^ set(posts))
            for path, method, status, kind, content in contents():
                if method != "get" or status != "200" or kind == "text/event-stream":
                    continue
                real = path.replace("{study}", "1").replace("{trial}", "7") + query(path)
                answer = desk.ask(real)
                check(answer.status == 200 and answer.getheader("Content-Type").split(";")[0] == kind, real, "gives", answer.status, answer.getheader("Content-Type"), answer.body[:200])
                if WRITE:
                    content["example"] = shorten(json.loads(answer.body.decode().splitlines()[0]))
                compare(path, method, kind, content, answer.body.decode())
            if WRITE:
                FILE.write_text(json.dumps(API, indent=1, ensure_ascii=False) + "\n")
            for name in order:
                how = API["paths"][posts[name]]["post"]
                if name == "retry":
                    desk.post("tell", {"trial": 8, "failed": "why"})
                body = how["requestBody"]["content"]["application/json"]["example"]
                if name == "tell":
                    body = {**body, "replace": True}
                (kind, content), = how["responses"]["200"]["content"].items()
                answer = "\n".join(json.dumps(line) for line in desk.post(name, body))
                compare(posts[name], "post", kind, content, answer)


if __name__ == "__main__":
    main(globals())
