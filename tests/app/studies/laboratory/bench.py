"""What the flask gives: the truth that nobody in the laboratory knows, and what the balance and the chromatograph say of it."""
import itertools
import random

TEMPERATURES, HOURS, CATALYST = range(20, 91), range(1, 13), [0.1 * k for k in range(1, 21)]


def truth(temperature, hours, catalyst):
    """Yield and purity: hotter and longer gives more, and soils it."""
    made = 60 - (temperature - 72) ** 2 / 45 - (hours - 8) ** 2 / 2.5 - 9 * (catalyst - 1.2) ** 2
    pure = 100 - 0.0016 * (temperature - 20) ** 2 - 0.09 * hours - 0.8 * catalyst
    return made, pure


def best(limit):
    """The best yield that keeps the limit."""
    return max(made for made, pure in itertools.starmap(truth, itertools.product(TEMPERATURES, HOURS, CATALYST)) if pure >= limit)


class Bench:
    """Measurements with their errors, the same in every run of the test."""

    def __init__(self):
        self.errors = random.Random(1)

    def measure(self, design):
        made, pure = truth(**design)
        return {"yield": round(made + self.errors.gauss(0, 0.4), 2), "purity": round(pure + self.errors.gauss(0, 0.1), 2)}
