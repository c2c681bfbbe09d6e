"""seeds.py PROGRAM [SEEDS]: the example with seeds 1 to SEEDS (20), and what the recommended designs and the best measurements are truly like. Minutes."""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import compare

HERE = os.path.dirname(os.path.abspath(__file__))


def study(program, folder, seed):
    """Runs the example with another seed and other weeks; gives both designs and what the study says of their cost."""
    place = os.path.join(folder, str(seed))
    shutil.copytree(HERE, place)
    file = os.path.join(place, "charging.yaml")
    with open(file, encoding="utf-8") as source:
        text = source.read()
    name = "charging" if seed == 1 else f"charging-{seed}"          # seed 1 is what `make run` does
    with open(file, "w", encoding="utf-8") as target:
        target.write(text.replace("name: charging", f"name: {name}", 1).replace("seed: 1", f"seed: {seed}", 1))
    subprocess.run([program, "run", "--quiet", file], check=True, stdout=subprocess.DEVNULL)
    r = compare.recommendation(program, file)
    best = r["best_evaluated"]
    return (r["parameters"], r["objective"]["mean"]), (best["parameters"], best["objective"])


def row(name, found):
    """Of one kind of design over all seeds: how many keep the limit, what they cost, and what the studies said that they cost."""
    true = [compare.truth(design) for design, _ in found]
    kept = sum(late <= compare.LIMIT for _, (late, _) in true)
    cost = statistics.mean(c for (c, _), _ in true)
    stated = statistics.mean(s for _, s in found)
    late = statistics.mean(late for _, (late, _) in true)
    worst = [max(t[i][0] for t in true) for i in range(2)]
    return f"| {name} | {kept} of {len(found)} | {late:.1f} % | {worst[1]:.1f} % | {stated:.0f} | {cost:.0f} | {worst[0]:.0f} |"


def best_known():
    """The cheapest design of a grid that keeps the limit, by the truth: all of them roughly, then the cheapest ones well."""
    grid = [dict(chargers=c, power=p, fee=f / 100) for c in range(6, 12) for p in range(40, 81, 4) for f in range(0, 33, 4)]
    roughly = [(compare.truth(design, 30), design) for design in grid]
    near = sorted((cost, i) for i, ((cost, _), (late, _)) in enumerate(t for t, _ in roughly) if late <= compare.LIMIT + 0.5)[:30]
    well = [(compare.truth(grid[i]), grid[i]) for _, i in near]
    return min((t for t in well if t[0][1][0] <= compare.LIMIT), key=lambda t: t[0][0][0])


def main(program, seeds="20"):
    with tempfile.TemporaryDirectory() as folder:
        found = [study(os.path.abspath(program), folder, seed) for seed in range(1, int(seeds) + 1)]
    print("| design | truly keeps the limit | late, mean | worst | cost by the study, mean | true cost, mean | worst |")
    print("|---|---|---|---|---|---|---|")
    print(row("recommended", [f[0] for f in found]))
    print(row("best measurement", [f[1] for f in found]))
    ((cost, _), (late, _)), design = best_known()
    print(f"\nThe cheapest of a grid that keeps the limit: {design}, cost {cost:.1f}, late {late:.2f} %.")


if __name__ == "__main__":
    main(*sys.argv[1:])
