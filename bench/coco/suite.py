"""COCO's suite bbob-constrained for Python, from the same source as build/bench/coco: the library that scripts/fetch-coco.sh makes.

    problem = suite.Problem(function=9, instance=1, d=5)
    f, c = problem(x)                # the objective and the constraints, feasible where all c <= 0
"""
import ctypes
import os
import pathlib

import numpy as np

FOLDER = pathlib.Path(os.environ.get("CKG_COCO", pathlib.Path(__file__).resolve().parents[2] / "build-coco"))
FUNCTIONS = range(1, 55)

_library = None
_suites = {}


def numbers(text):
    """1-3,7 as a list."""
    out = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        out += range(int(first), int(last or first) + 1)
    return out


def _coco():
    """The library, with the types of what is called."""
    global _library
    if _library is None:
        library = ctypes.CDLL(str(FOLDER / "libcoco.so"))
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        vector = np.ctypeslib.ndpointer(dtype=np.double, flags="C_CONTIGUOUS")
        signatures = {
            "coco_set_log_level": (ctypes.c_char_p, [ctypes.c_char_p]),
            "coco_suite": (pointer, [ctypes.c_char_p] * 3),
            "coco_suite_get_problem_by_function_dimension_instance": (pointer, [pointer, size, size, size]),
            "coco_problem_free": (None, [pointer]),
            "coco_problem_get_number_of_constraints": (size, [pointer]),
            "coco_problem_get_smallest_values_of_interest": (ctypes.POINTER(ctypes.c_double), [pointer]),
            "coco_problem_get_largest_values_of_interest": (ctypes.POINTER(ctypes.c_double), [pointer]),
            "coco_problem_get_initial_solution": (None, [pointer, vector]),
            "coco_problem_get_best_parameter": (ctypes.c_int, [pointer, vector]),
            "coco_problem_get_best_value": (ctypes.c_double, [pointer]),
            "coco_evaluate_function": (None, [pointer, vector, vector]),
            "coco_evaluate_constraint": (None, [pointer, vector, vector]),
        }
        for name, (result, arguments) in signatures.items():
            getattr(library, name).restype = result
            getattr(library, name).argtypes = arguments
        library.coco_set_log_level(b"error")
        _library = library
    return _library


def _suite(instance):
    if instance not in _suites:
        _suites[instance] = _coco().coco_suite(b"bbob-constrained", b"instances: %d" % instance, b"")
    return _suites[instance]


class Problem:
    """One problem of the suite. `K` is the number of constraints, `low` and `high` (d) bound the box."""

    def __init__(self, function, instance, d):
        coco = _coco()
        self.function, self.instance, self.d = function, instance, d
        self._problem = coco.coco_suite_get_problem_by_function_dimension_instance(_suite(instance), function, d, instance)
        if not self._problem:
            raise ValueError(f"the suite has no function {function}, instance {instance} with {d} dimensions")
        self.K = coco.coco_problem_get_number_of_constraints(self._problem)
        self.low = np.array(coco.coco_problem_get_smallest_values_of_interest(self._problem)[:d])
        self.high = np.array(coco.coco_problem_get_largest_values_of_interest(self._problem)[:d])

    def __call__(self, x):
        x = np.ascontiguousarray(x, dtype=np.double)
        if x.shape != (self.d,):
            raise ValueError(f"a design has {self.d} numbers, not {x.shape}")
        f, c = np.empty(1), np.empty(self.K)
        _coco().coco_evaluate_function(self._problem, x, f)
        _coco().coco_evaluate_constraint(self._problem, x, c)
        return float(f[0]), c

    def start(self):
        """The feasible design that the suite proposes to begin with."""
        x = np.empty(self.d)
        _coco().coco_problem_get_initial_solution(self._problem, x)
        return x

    def optimum(self):
        """The optimum by construction: its value and its design. Not for optimisers."""
        x = np.empty(self.d)
        _coco().coco_problem_get_best_parameter(self._problem, x)
        return _coco().coco_problem_get_best_value(self._problem), x

    def __del__(self):
        if getattr(self, "_problem", None):
            _coco().coco_problem_free(self._problem)
