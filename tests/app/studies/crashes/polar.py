"""Lift and drag of a wing section in small numbers, and where no solution is found. The best design lies near that edge."""
import math


def separates(angle, camber):
    return angle + 40 * camber > 11


def polar(angle, camber):
    lift = 2 * math.pi * math.radians(angle) * 0.9 + 8 * camber
    drag = 0.006 + 0.01 * (lift - 0.5) ** 2 + 0.2 * (camber - 0.06) ** 2 * 10 + 0.0001 * (angle - 5.2) ** 2 + 0.001 * math.sin(60 * camber)
    return drag, lift
