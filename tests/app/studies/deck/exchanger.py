"""A bundle of tubes with water inside and steam outside, by the usual correlations: Dittus and Boelter's for heat, Blasius's for friction."""
import math


def solve(tubes, bore, length, flow=12.0):
    """Cost in thousands a year, duty in kW, pressure drop in kPa, Reynolds number; bore in mm, length in m, flow in kg/s."""
    d = bore / 1000
    velocity = flow / 990 / (tubes * math.pi / 4 * d ** 2)
    reynolds = 990 * velocity * d / 6e-4
    inside = 0.023 * reynolds ** 0.8 * 3.9 ** 0.4 * 0.64 / d
    area = tubes * math.pi * d * length
    u = 1 / (1 / inside + 1 / 6000 + 3e-4)
    duty = flow * 4.18 * 40 * (1 - math.exp(-u * area / (flow * 4180)))
    drop = (0.316 * reynolds ** -0.25 * length / d + 2.5) * 990 * velocity ** 2 / 2 / 1000
    cost = 2 + 1.9 * area ** 0.75 + 0.012 * tubes + 0.25 * drop
    return cost, duty, drop, reynolds
