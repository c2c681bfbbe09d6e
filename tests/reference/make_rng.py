#!/usr/bin/env python3
"""Writes tests/reference/rng.inc: the generator's states and numbers for some (seed, stream, purpose).

    python3 tests/reference/make_rng.py > tests/reference/rng.inc

The states come from NumPy's Philox 4x64-10, the numbers from xoshiro256++ in Python's integers, which is checked first
against the sequence from state (1, 2, 3, 4) that the authors' C code gives.
"""
import numpy

MASK = 2**64 - 1
KNOWN = [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205, 9973669472204895162]
CASES = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 0, 1), (42, 7, 3), (MASK, MASK, MASK)]
NUMBERS = 5


def rotate(x, bits):
    return (x << bits | x >> (64 - bits)) & MASK


def xoshiro(state, count):
    a, b, c, d = state
    numbers = []
    for _ in range(count):
        numbers.append((rotate((a + d) & MASK, 23) + a) & MASK)
        c, d, shifted = c ^ a, d ^ b, b << 17 & MASK
        b, a = b ^ c, a ^ d
        c, d = c ^ shifted, rotate(d, 45)
    return numbers


def as_words(number, count):
    return numpy.array([number >> 64 * i & MASK for i in range(count)], dtype=numpy.uint64)


def philox(seed, stream, purpose):
    # NumPy counts up before it draws.
    counter = (stream + (purpose << 64) - 1) % 2**256
    generator = numpy.random.Philox(key=as_words(seed, 2), counter=as_words(counter, 4))
    return [int(word) for word in generator.random_raw(4)]


def words(numbers):
    return "{" + ", ".join("0x%016Xu" % number for number in numbers) + "}"


def main():
    assert xoshiro((1, 2, 3, 4), len(KNOWN)) == KNOWN
    print("/* Written by tests/reference/make_rng.py with NumPy %s. */" % numpy.__version__)
    print("static const struct {")
    print("    uint64_t seed, stream, purpose, state[4], numbers[%d];" % NUMBERS)
    print("} rng_reference[] = {")
    for seed, stream, purpose in CASES:
        state = philox(seed, stream, purpose)
        print("    {%s,\n     %s,\n     %s}," % (", ".join("0x%Xu" % v for v in (seed, stream, purpose)), words(state),
                                                 words(xoshiro(state, NUMBERS))))
    print("};")


main()
