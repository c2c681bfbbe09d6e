"""A charging station for cars, simulated for a week, car by car: what it costs a day, and the share of drivers who have to wait too long."""
import heapq
import json
import math
import os
import random
import sys

DAYS, MINUTES = 7, 24 * 60
DRIVERS = 120                       # a day who would like to charge here
BUSY = (.2, .1, .1, .1, .2, .5, 1, 1.6, 1.5, 1.1, 1, 1.1, 1.3, 1.2, 1.1, 1.3, 1.8, 2.3, 2.2, 1.6, 1.1, .8, .5, .3)   # by the hour; 1 on average
ENERGY, ACCEPTS = 30.0, (50, 100, 150)   # kWh that a car takes on average; kW that it takes at most: one in three each
BLOCKING = 15.0                     # minutes that a car stays when it is full, on average, where that is free
CHARGER, KILOWATT = 15.0, 0.30      # € a day: for a charger, and for each kW of its power
LOST = 6.0                          # € that are not earned with a driver who goes elsewhere
TOO_LONG, PATIENCE = 10.0, 30.0     # minutes of waiting that are too long; that make a driver go elsewhere


def station(rng, chargers, power, fee, days=DAYS, busy=BUSY, accepts=ACCEPTS, shape=3, blocking=BLOCKING, patience=PATIENCE):
    """The cost of a day in €, and the share in % of the drivers who came and met a wait of more than TOO_LONG minutes."""
    most = max(busy)
    free = [0.0] * chargers                             # when each charger is free again: a heap
    now, came, late, lost = 0.0, 0, 0, 0
    while True:
        now += rng.expovariate(DRIVERS / MINUTES * most)
        if now >= days * MINUTES:
            break
        if rng.random() * most >= busy[int(now / 60) % 24]:
            continue                                    # a quieter hour: it was nobody
        if rng.random() < 0.3 * fee:
            lost += 1                                   # goes elsewhere because of the fee
            continue
        came += 1
        wait = max(free[0] - now, 0.0)
        late += wait > TOO_LONG
        if wait > patience:
            lost += 1                                   # goes elsewhere because of the queue
            continue
        charging = 60 * rng.gammavariate(shape, ENERGY / shape) / min(power, rng.choice(accepts))
        blocked = rng.expovariate(1 / blocking) * math.exp(-4 * fee) if blocking else 0.0
        heapq.heapreplace(free, now + wait + charging + blocked)
    return chargers * (CHARGER + KILOWATT * power) + LOST * lost / days, 100 * late / max(came, 1)


if __name__ == "__main__":
    design = json.load(sys.stdin)
    # A trial that is repeated gives the same answer; another trial, or another study, is another week.
    rng = random.Random(f"{os.environ.get('CKG_STUDY', '')} {os.environ.get('CKG_TRIAL', '0')}")
    cost, late = station(rng, **design)
    print(json.dumps({"cost": cost, "late": late}))
