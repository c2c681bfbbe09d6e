"""test_bits.py RECORD PROGRAM [--write]: whether this machine gives the bits that every machine gives.

RECORD (record.c) runs studies and prints all that they say, to the last bit. Here every tenth of the first ones and every third of the further
ones, which is one of each kind of problem (with CKG_TEST_LIGHT every fortieth and every fifteenth), with each instruction set that fuses and that
this processor runs, are compared with tests/same/bits.txt: a study's name and a hash of what it says. What was written there on one processor must
come out on all others, by whatever compiler; `scripts/same-bits.sh --variants` compares all studies on one machine. Where the arithmetic is
changed on purpose, --write makes the file anew."""
import hashlib
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, "bits.txt")
SKIPPED = 77
STEP, LATER = (40, 15) if os.environ.get("CKG_TEST_LIGHT") else (10, 3)


def said(record, cpu):
    """The hash of what each study says."""
    done = subprocess.run([record, "1", "0", str(STEP), str(LATER)], env=dict(os.environ, CKG_CPU=cpu), stdout=subprocess.PIPE, text=True, check=True)
    studies = {}
    for line in done.stdout.splitlines():
        if line.startswith("study"):
            name = line
            studies[name] = hashlib.sha256()
        studies[name].update(line.encode() + b"\n")
    return {name: studies[name].hexdigest()[:16] for name in studies}


def instruction_set(program, wanted):
    """What the program uses when it is asked for this."""
    text = subprocess.run([program, "--version"], env=dict(os.environ, CKG_CPU=wanted), stdout=subprocess.PIPE, text=True, check=True).stdout
    return text.split("instruction set ")[1].strip()


def main():
    record, program = sys.argv[1:3]
    fusing = ["v3", "v4"] if os.uname().machine == "x86_64" else ["base"]
    here = [cpu for cpu in fusing if instruction_set(program, cpu) == cpu]
    if not here:
        print("this processor has no fused multiply-add: its bits are its own")
        sys.exit(SKIPPED)
    if "--write" in sys.argv:
        with open(FILE, "w", encoding="utf-8") as file:
            file.writelines(f"{value} {name}\n" for name, value in said(record, here[-1]).items())
    with open(FILE, encoding="utf-8") as file:
        wanted = {line[17:].rstrip("\n"): line[:16] for line in file}
    failed = 0
    for cpu in here:
        found = said(record, cpu)
        off = [name for name in found if found[name] != wanted.get(name)]
        failed += len(off) + (not found)
        print(f"{cpu}: {len(found)} studies, {len(off)} with other bits{': ' if off else ''}{'; '.join(off)}")
    sys.exit(1 if failed else 0)


main()
