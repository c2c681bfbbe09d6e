"""compare.py PROGRAM STUDY: the recommended design and the best measurement, each beside the truth: the same simulation over 500 other weeks."""
import json
import random
import statistics
import subprocess
import sys

import charging

WEEKS, LIMIT = 500, 5.0


def truth(design, weeks=WEEKS):
    """Mean and standard error of cost and late. All designs meet the same weeks' random numbers, and no study ever does."""
    values = [charging.station(random.Random(f"truth {week}"), **design) for week in range(weeks)]
    return [(statistics.mean(v), statistics.stdev(v) / weeks ** 0.5) for v in zip(*values)]


def recommendation(program, study):
    done = subprocess.run([program, "recommend", "--json", study], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def column(title, design, true, cost, late, feasible):
    """One column of the table: what the study says, and the truth."""
    (true_cost, cost_error), (true_late, late_error) = true
    return [title, f"{design['chargers']} of {design['power']:g} kW", f"{design['fee']:.2f} €/min",
            "", cost, f"{true_cost:.1f} ± {cost_error:.1f}",
            "", late, f"{true_late:.2f} ± {late_error:.2f}",
            "", feasible, "yes" if keeps(true) else "no"]


def keeps(true):
    return true[1][0] <= LIMIT


def verdict(recommended, best):
    """What came of it, whatever that is."""
    if keeps(recommended) and not keeps(best):
        return "The best measurement was a lucky week: that station breaks the limit. The recommended one keeps it."
    if not keeps(recommended):
        return f"The recommended station breaks the limit{'.' if keeps(best) else ', and so does the best measured one.'}"
    cheaper = best[0][0] - recommended[0][0]
    return f"Both keep the limit. The recommended station is {abs(cheaper):.1f} €/day {'cheaper' if cheaper > 0 else 'dearer'}."


ROWS = ["", "chargers", "fee", "cost (€/day)", "  by the study", "  true", "late (%)", "  by the study", "  true",
        f"late at most {LIMIT:g} %", "  by the study", "  true"]


def main(program, study):
    r = recommendation(program, study)
    objective, late, best = r["objective"], r["constraints"]["late"], r["best_evaluated"]
    true = [truth(r["parameters"])]
    columns = [column("recommended", r["parameters"], true[0], f"{objective['mean']:.1f} ± {objective['sd']:.1f}",
                      f"{late['mean']:.2f} ± {late['sd']:.2f}", f"probability {r['probability_feasible']:.3g}")]
    if best:
        true.append(truth(best["parameters"]))
        columns.append(column(f"best measured (trial {best['trial']})", best["parameters"], true[1], f"{best['objective']:.1f}",
                              f"{best['constraints']['late']:.2f}", "yes"))
    print(f"Both stations simulated for {WEEKS} other weeks, to see what they are truly like:")
    for name, *cells in zip(ROWS, *columns):
        print(f"  {name:<20} {''.join(f'{cell:<20}' for cell in cells)}".rstrip())
    if best:
        print(verdict(*true))


if __name__ == "__main__":
    main(*sys.argv[1:])
