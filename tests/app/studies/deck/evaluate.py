"""Fills in the deck, runs the solver in a folder of its own, picks the numbers out of its listing."""
import json
import os
import pathlib
import re
import string
import subprocess
import sys

design = json.load(sys.stdin)
here = pathlib.Path(__file__).resolve().parent
folder = here / "runs" / os.environ["CKG_TRIAL"]
folder.mkdir(parents=True, exist_ok=True)

(folder / "deck").write_text(string.Template((here / "exchanger.template").read_text()).substitute(design))
with open(folder / "listing", "w") as listing:
    ran = subprocess.run([sys.executable, here / "solver.py", "deck"], cwd=folder, stdout=listing)
if ran.returncode:
    sys.exit(ran.returncode)

found = dict(re.findall(r"^(\w+) += +(\S+)", (folder / "listing").read_text(), re.MULTILINE))
print(json.dumps({"cost": float(found["COST"]), "duty": float(found["DUTY"]), "drop": float(found["DROP"]), "reynolds": float(found["REYNOLDS"])}, indent=1))
