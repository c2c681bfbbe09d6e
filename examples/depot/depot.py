"""A fuel depot, simulated for a year, ten times: cost per day and share of the demand served, each with its standard error."""
import json
import os
import random
import statistics
import sys

DAYS, RUNS = 365, 10
ORDERING, HOLDING, MISSING = 600, 0.8, 2     # per order; per m³ and day; per m³ of demand that is turned away


def year(rng, reorder, order, days=DAYS):
    stock, coming, costs, demanded, served = reorder + order / 2, [], 0.0, 0.0, 0.0
    for day in range(days):
        stock += sum(amount for due, amount in coming if due == day)
        coming = [(due, amount) for due, amount in coming if due > day]
        demand = rng.gammavariate(4, 10)                      # 40 m³ a day on average
        sold = min(stock, demand)
        stock -= sold
        demanded += demand
        served += sold
        costs += HOLDING * stock + MISSING * (demand - sold)
        if stock + sum(amount for _, amount in coming) < reorder:
            coming.append((day + rng.choice([2, 3, 4, 6]), order))
            costs += ORDERING
    return costs / days, served / demanded


def answer(values):
    return [statistics.mean(values), statistics.stdev(values) / len(values) ** 0.5]


if __name__ == "__main__":
    design = json.load(sys.stdin)
    rng = random.Random(int(os.environ.get("CKG_TRIAL", "0")))   # a trial that is repeated gives the same answer
    costs, served = zip(*(year(rng, **design) for _ in range(RUNS)))
    print(json.dumps({"cost": answer(costs), "served": answer(served)}))
