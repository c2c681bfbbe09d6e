"""solver.py DECK: stands in for a simulator with a licence. The file `licence` beside this one has the number of the last trial that is served."""
import os
import pathlib
import sys

from exchanger import solve

if int(os.environ["CKG_TRIAL"]) > int((pathlib.Path(__file__).resolve().parent / "licence").read_text()):
    sys.exit("SOLVER: licence server does not answer")
deck = dict(line.split(None, 1) for line in open(sys.argv[1]) if len(line.split()) > 1)
cost, duty, drop, reynolds = solve(float(deck["TUBES"]), float(deck["BORE"]), float(deck["LENGTH"]), float(deck["FLOW"]))
print("... converged")
print(f"COST     = {cost:.10g}\nDUTY     = {duty:.10g}\nDROP     = {drop:.10g}\nREYNOLDS = {reynolds:.6g}")
