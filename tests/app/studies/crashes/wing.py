"""A solver that dies where the flow separates, and needs a licence: the file `licence` has the number of the last trial that is served."""
import json
import os
import pathlib
import signal
import sys

from polar import polar, separates

design = json.load(sys.stdin)
if int(os.environ["CKG_TRIAL"]) > int((pathlib.Path(__file__).resolve().parent / "licence").read_text()):
    sys.exit("cannot check out a licence (-15, 570)")
if separates(design["angle"], design["camber"]):
    os.kill(os.getpid(), signal.SIGSEGV)
drag, lift = polar(design["angle"], design["camber"])
print(json.dumps({"drag": drag, "lift": lift}))
