"""The tension/compression spring of Arora, Introduction to Optimum Design: parameters in, weight and limits out."""
import json
import sys


def spring(wire, coil, turns):
    return {
        "weight": (turns + 2) * coil * wire**2,
        "deflection": coil**3 * turns / (71785 * wire**4),
        "stress": (4 * coil**2 - wire * coil) / (12566 * (coil * wire**3 - wire**4)) + 1 / (5108 * wire**2),
        "frequency": 140.45 * wire / (coil**2 * turns),
        "diameter": coil + wire,
    }


if __name__ == "__main__":
    print(json.dumps(spring(**json.load(sys.stdin))))
