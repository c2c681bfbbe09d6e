"""Study: ask, evaluate, tell, recommend, by names."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, overload

from ._backend import Backend, Forecast, Measurement, RecommendOptions, Record, Suggested
from ._binding import lib
from ._core import as_finite, as_integer, as_text, as_truth, kind, known
from ._definition import Definition, Options, choose_options, define, designs_of
from ._errors import InvalidError, NotFoundError, WrongTypeError
from ._parameters import Parameter
from ._results import Estimate, Gain, Importance, LeftOut, Model, Prediction, Recommendation, Trial
from ._shown import Shown


class Study(Shown):
    """The evaluations made so far on one problem, what they teach, and what to do next.

    parameters    what may vary: names with Real, Integer or Categorical
    objective     the name of what to minimise, or with maximize=True to maximise
    constraints   names with (min, max), None for no limit, Equal(value, tolerance), or YesNo() where only True or
                  False is known; a design is feasible when all hold
    noise         of measurements: "auto" (estimated), "varying" (estimated, more in some places than in others),
                  "none", a standard deviation; or for each outcome by name
    positive      the outcomes that are known to be above 0
    rules         texts such as "pitch >= 1.2 * wire", known before any evaluation and broken by no suggestion
    constants     numbers that rules may name
    costs         of measuring one outcome alone, by name, where that is possible: then trial.measure says what to
                  measure, the budget is in units of cost, and outcomes without a cost cost 1
    groups        lists of outcomes that always come together
    choose_from   a finite list of designs instead of ranges
    designs       what to evaluate first, in this order
    policy        how designs are chosen; pyckg.policies() lists them
    settings      numbers for the policy, by name
    seed          the same seed and data give the same suggestions; None draws one, which study.seed tells
    budget        how many evaluations there will be in all, where that is known
    initial       how many designs come before the policy takes over
    threads       the most threads to use; 0 is as many as it may run on; suggestions do not depend on it
    failures      "model": learn where evaluations fail; "ignore"
    store, name   keep the study in a file that the program `ckg` and other processes share
    evaluate      with a store: the command with which `ckg run` evaluates, as ["python3", "spring.py"] or a mapping
    options       kernel, fit, warp, time_limit, …: pyckg.options() lists them

    A study may be used from several threads: calls wait for each other.
    """

    def __init__(
        self,
        parameters: Mapping[str, Parameter],
        objective: str = "objective",
        constraints: Mapping[str, tuple[float | None, float | None]] | None = None,
        *,
        maximize: bool = False,
        noise: str | float | Mapping[str, str | float] = "auto",
        positive: str | Iterable[str] = (),
        rules: Iterable[str] = (),
        constants: Mapping[str, float] | None = None,
        costs: Mapping[str, float] | None = None,
        groups: Iterable[Iterable[str]] = (),
        choose_from: Iterable[Mapping[str, Any]] | None = None,
        designs: Iterable[Mapping[str, Any]] = (),
        policy: str = "auto",
        settings: Mapping[str, float] | None = None,
        seed: int | None = None,
        budget: int | None = None,
        initial: int | None = None,
        threads: int = 1,
        failures: str = "model",
        store: str | os.PathLike[str] | None = None,
        name: str | None = None,
        evaluate: Iterable[str] | Mapping[str, Any] | None = None,
        **options: str | float | bool | None,
    ) -> None:
        definition = define(
            parameters,
            objective,
            constraints,
            maximize=maximize,
            noise=noise,
            positive=positive,
            rules=rules,
            constants=constants,
            costs=costs,
            groups=groups,
            choose_from=choose_from,
        )
        chosen = choose_options(
            policy=policy,
            settings=settings,
            seed=seed,
            budget=budget,
            initial=initial,
            threads=threads,
            failures=failures,
            **options,
        )
        first = [definition.encode("designs", design) for design in designs_of("designs", designs)]
        self._use(_make_backend(definition, chosen, first, store, name, evaluate, seed is None))

    @classmethod
    def _of(cls, backend: Backend) -> Study:
        """A study of a backend that exists already."""
        study = cls.__new__(cls)
        study._use(backend)
        return study

    def _use(self, backend: Backend) -> None:
        self._backend = backend
        self._outcomes = backend.definition.outcomes

    # --- asking and telling ---

    def ask(self) -> Trial:
        """The next design to evaluate, as a pending trial. Asking again before telling gives another one."""
        return self._suggested(self._backend.ask())

    def _suggested(self, s: Suggested) -> Trial:
        parameters = self._backend.definition.decode(s.x)
        predicted = None if _unknown(s.forecast) else self._prediction(parameters, s.forecast)
        trial = Trial(s.number, parameters, origin=s.origin, value=known(s.value), predicted=predicted)
        trial.chosen_by, trial.reason = s.chosen_by, s.reason
        trial.measure = self._measure(s.number)
        return trial

    def _measure(self, number: int) -> list[str] | None:
        if not self._backend.definition.separate:
            return None
        return [self._outcomes[outcome] for outcome in self._backend.wanted(number)]

    @property
    def spent(self) -> float | None:
        """What all trials cost, those under way included; None where outcomes have no costs."""
        return self._backend.spent() if self._backend.definition.separate else None

    def add(self, parameters: Mapping[str, Any]) -> Trial:
        """A design of your own, as a pending trial."""
        x = self._backend.definition.encode("parameters", parameters)
        number = self._backend.add(x)
        return Trial(number, self._backend.definition.decode(x), origin="user", chosen_by="user")

    def tell(
        self,
        trial: Trial | int,
        values: Mapping[str, Any] | None = None,
        *,
        failed: str | None = None,
        **named: Any,
    ) -> None:
        """What a pending trial gave: weight=1.9, or weight=(1.9, 0.05) with the sd of its noise; runs=True.

        An outcome that was not measured is left out or None. `values` takes names that are no keywords. failed="why":
        the evaluation failed, and there are no values.
        """
        number = _number_of(trial)
        if values is not None and not isinstance(values, Mapping):
            raise WrongTypeError(f"values must be a mapping from outcomes to numbers, not {kind(values)}")
        told = {**(values or {}), **named}
        if failed is not None:
            if told:
                raise InvalidError("failed: a trial that failed has no values")
            self._backend.tell_failed(number, as_text("failed", failed))
            return
        self._backend.tell(number, self._measured(told))

    def _measured(self, told: Mapping[str, Any]) -> list[Measurement]:
        measured = []
        for name, given in told.items():
            if name not in self._outcomes:
                raise NotFoundError(f"there is no outcome {name!r}; there are {', '.join(self._outcomes)}")
            if given is not None:
                outcome = self._outcomes.index(name)
                if self._backend.definition.answers[outcome]:
                    measured.append(Measurement(outcome, _answer(name, given), lib.CKG_SD_DEFAULT))
                else:
                    measured.append(_measurement(outcome, name, given))
        if not measured:
            raise InvalidError(
                f"values: nothing was told of {', '.join(self._outcomes)}; failed='why' tells of a failure"
            )
        return measured

    def cancel(self, trial: Trial | int) -> None:
        """The pending trial will not be evaluated."""
        self._backend.cancel(_number_of(trial))

    def optimize(
        self,
        function: Callable[..., Any],
        budget: int | None = None,
        *,
        workers: int | Callable[..., Any] = 1,
        processes: bool = False,
        progress: bool | None = None,
        catch: type[BaseException] | tuple[type[BaseException], ...] = (),
    ) -> Recommendation:
        """Evaluates until there are `budget` evaluations in all, by default the study's own, and recommends.

        function    called with the parameters by name; gives a number for the objective, or a mapping from outcomes
                    to numbers or (value, sd). What is not finite is recorded as a failure. Where outcomes have costs,
                    measure=[…] says which are wanted; a number is the value of the only one.
        workers     how many evaluations at once, -1 for one for each processor; or a function that works like map
        processes   whether they are processes instead of threads
        progress    a line with the progress; None: where standard error is a terminal
        catch       exceptions of the function that make a failed trial; any other ends the run

        Ctrl-C ends it at once and leaves a study that goes on: what was under way comes first in the next optimize.
        """
        from ._progress import make_progress
        from ._run import Run
        from ._workers import make_workers

        if not callable(function):
            raise WrongTypeError(f"function must be callable, not {kind(function)}")
        own = self._backend.options.budget
        limit = own if budget is None else as_integer("budget", budget, 1, 2**31 - 1)
        if self._backend.definition.separate:
            self._check_costs(limit)
        if limit is None:
            raise InvalidError("budget must be given here or to the study")
        if progress is not None:
            as_truth("progress", progress)
        caught = _exceptions(catch)
        team = make_workers(_ByName(function), workers, as_truth("processes", processes))
        bar = make_progress(progress, limit, self._so_far())
        Run(self, team, limit, progress=bar, catch=caught).run()
        return self.recommend()

    def _evaluations(self) -> int:
        """How many trials were told, failures included."""
        return self._backend.evaluations()

    def _so_far(self) -> int:
        """How much of the budget is gone: evaluations, or what they cost."""
        spent = self.spent
        return self._evaluations() if spent is None else int(spent)

    def _check_costs(self, budget: int | None) -> None:
        """Every step must know what is left, and that is for the study to say."""
        definition = self._backend.definition
        if budget is not None and budget != self._backend.options.budget:
            raise InvalidError("budget: where outcomes have costs it belongs to the study: Study(…, budget=…)")
        if "measure" in definition.parameters:
            raise InvalidError("where outcomes have costs, no parameter may be called 'measure'")

    def _take(self, budget: int, idle: bool) -> Trial | None:
        """What a run evaluates next; None: nothing is left, or with something under way nothing for now."""
        s = self._backend.take(budget, idle)
        return None if s is None else self._suggested(s)

    # --- what was told ---

    def __len__(self) -> int:
        """How many trials there are."""
        return self._backend.count()

    def __bool__(self) -> bool:
        return True

    def trial(self, number: int) -> Trial:
        """The trial of that number, counted from 1."""
        return self._trial(self._backend.trial(as_integer("number", number)))

    def best(self) -> Trial | None:
        """The best trial that measured feasible."""
        number = self._backend.best()
        return None if number is None else self._trial(self._backend.trial(number))

    def trials(self, *, frame: bool | None = None) -> Any:
        """All trials: a DataFrame where pandas is installed, else a list of Trial; frame=True or False chooses."""
        if frame is not None:
            as_truth("frame", frame)
        listed = [self._trial(self._backend.trial(number)) for number in range(1, self._backend.count() + 1)]
        if frame is False:
            return listed
        try:
            import pandas
        except ImportError:
            if frame:
                raise
            return listed
        rows = [
            [t.number, t.state, *t.parameters.values(), *map(t.values.get, self._outcomes), t.feasible, t.origin, t.why]
            for t in listed
        ]
        columns = ["trial", "state", *self.parameters, *self._outcomes, "feasible", "origin", "why"]
        return pandas.DataFrame(rows, columns=columns)

    # --- what it teaches ---

    def recommend(self, *, probability: float | None = None, evaluated_only: bool = False) -> Recommendation:
        """What to build. With `probability`: the best that is feasible with at least that probability."""
        if probability is not None:
            probability = as_finite("probability", probability)
            if not 0 < probability < 1:
                raise InvalidError(f"probability must be above 0 and below 1, not {probability:g}")
        r = self._backend.recommend(RecommendOptions(probability, as_truth("evaluated_only", evaluated_only)))
        p = self._prediction(self._backend.definition.decode(r.x), r.forecast)
        return Recommendation(
            parameters=p.parameters,
            objective=p.outcomes[self._outcomes[0]],
            constraints={name: p.outcomes[name] for name in self._outcomes[1:]},
            probability_feasible=p.probability_feasible,
            utility=p.utility,
            penalty=known(r.penalty),
            evaluations=r.evaluations,
            best=None if r.best_trial is None else self.trial(r.best_trial),
            trial=r.trial,
            measured=r.measured,
            most_violated=self._outcomes[r.most_violated] if r.most_violated else None,
        )

    def gain(self) -> Gain:
        """What more evaluations are expected to gain."""
        g = self._backend.gain()
        return Gain(
            known(g.next),
            known(g.remaining),
            known(g.perfect_information),
            known(g.perfect_information_rough),
            known(g.objective),
            g.left if g.left >= 0 else None,
        )

    @overload
    def predict(self, designs: Mapping[str, Any] | Trial) -> Prediction: ...  # pyright: ignore[reportOverlappingOverload]
    @overload
    def predict(self, designs: Any) -> list[Prediction]: ...

    def predict(self, designs: Any) -> Prediction | list[Prediction]:
        """What the models say: a Prediction for one design, a list for a list of designs or a DataFrame."""
        if isinstance(designs, Mapping | Trial):
            return self._predict([designs])[0]
        return self._predict(designs_of("designs", designs))

    def _predict(self, designs: list[Any]) -> list[Prediction]:
        points = [self._encode(design) for design in designs]
        forecasts = self._backend.predict(points)
        decode = self._backend.definition.decode
        return [self._prediction(decode(x), forecast) for x, forecast in zip(points, forecasts, strict=True)]

    @overload
    def score(  # pyright: ignore[reportOverlappingOverload]
        self, designs: Mapping[str, Any] | Trial, *, policy: str | None = None
    ) -> float: ...
    @overload
    def score(self, designs: Any, *, policy: str | None = None) -> list[float]: ...

    def score(self, designs: Any, *, policy: str | None = None) -> float | list[float]:
        """The policy's value of one design or of several, larger is better; `policy`: that of another one."""
        if policy is not None:
            as_text("policy", policy)
        if isinstance(designs, Mapping | Trial):
            return self._backend.score([self._encode(designs)], policy)[0]
        return self._backend.score([self._encode(design) for design in designs_of("designs", designs)], policy)

    def _encode(self, design: Any) -> list[float]:
        return self._backend.definition.encode("designs", design.parameters if isinstance(design, Trial) else design)

    def model(self) -> dict[str, Model]:
        """The fitted model of each outcome."""
        found = {}
        for outcome, name in enumerate(self._outcomes):
            m = self._backend.model(outcome)
            found[name] = Model(
                m.kernel, m.observations, m.samples,
                dict(zip(self.parameters, map(known, m.lengthscales), strict=True)),
                known(m.signal_sd), known(m.noise_sd), known(m.mean), known(m.log_likelihood), known(m.warp),
                known(m.nugget), m.fit, m.scale, m.outliers, self._outcomes[m.duplicate_of] if m.duplicate_of else None,
                m.is_duplicate, known(m.inflation), m.linear, m.noise_varies, known(m.noise_low), known(m.noise_high),
            )  # fmt: skip
        return found

    def penalty(self) -> float | None:
        """M, what an infeasible design is worth in the objective's units, as the next suggestion would use it."""
        return known(self._backend.penalty())

    def leave_one_out(self) -> dict[str, list[LeftOut]]:
        """For each outcome: its measured trials, each predicted from all other designs."""
        records = [self._backend.trial(number) for number in range(1, self._backend.count() + 1)]
        found = {}
        for outcome, name in enumerate(self._outcomes):
            mean, sd, measured_sd = self._backend.leave_one_out(outcome)
            found[name] = [
                LeftOut(record.number, value, known(mean[i]), known(sd[i]), known(measured_sd[i]))
                for i, record in enumerate(records)
                for at, value, _ in record.measured
                if at == outcome
            ]
        return found

    def importance(self) -> dict[str, dict[str, Importance]]:
        """What each parameter matters for each outcome."""
        found = {}
        for outcome, name in enumerate(self._outcomes):
            columns = self._backend.importance(outcome)
            found[name] = {
                parameter: Importance(*(known(column[i]) for column in columns))
                for i, parameter in enumerate(self.parameters)
            }
        return found

    # --- what it is ---

    @property
    def parameters(self) -> dict[str, Parameter]:
        return dict(self._backend.definition.parameters)

    @property
    def outcomes(self) -> list[str]:
        """The objective, then the constraints."""
        return list(self._outcomes)

    @property
    def seed(self) -> int:
        return self._backend.options.seed

    def close(self) -> None:
        """Frees what the study holds; no call is possible afterwards."""
        self._backend.close()

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        d = self._backend.definition
        goal = "maximize" if d.maximize else "minimize"
        return f"<pyckg.Study: {goal} {d.objective} over {', '.join(d.parameters)}>"

    # --- from the library's numbers to names ---

    def _prediction(self, parameters: dict[str, Any], f: Forecast) -> Prediction:
        chances = [None, *map(known, f.probability or [float("nan")] * (len(self._outcomes) - 1))]
        noise = [None] * len(self._outcomes) if f.noise_sd is None else list(map(known, f.noise_sd))
        outcomes = {
            name: Estimate(known(f.mean[i]), known(f.sd[i]), chances[i], noise[i])
            for i, name in enumerate(self._outcomes)
        }
        return Prediction(
            parameters,
            outcomes,
            known(f.probability_feasible),
            None if f.utility is None else known(f.utility),
        )

    def _trial(self, r: Record) -> Trial:
        names = self._outcomes
        answers = self._backend.definition.answers
        return Trial(
            r.number,
            self._backend.definition.decode(r.x),
            r.state,
            {names[m.outcome]: bool(m.value) if answers[m.outcome] else m.value for m in r.measured},
            {names[m.outcome]: m.sd for m in r.measured if m.sd >= 0},
            None if r.feasible < 0 else bool(r.feasible),
            r.origin,
            r.why,
            r.seconds,
            measure=self._measure(r.number),
            chosen_by=r.chosen_by,
            reason=r.reason,
        )


def open_study(
    study: str | os.PathLike[str] | None = None,
    *,
    store: str | os.PathLike[str] | None = None,
    name: str | None = None,
    threads: int = 1,
) -> Study:
    """A study by its problem file or its store: pyckg.open("spring.yaml"), pyckg.open("spring.db").

    store    where the study of a problem file is kept, if not beside it
    name     which study of the store, where it has several
    threads  as for Study
    """
    from ._record import open_record

    return Study._of(open_record(study, store, name, threads))


class _ByName:
    """Calls a function with the parameters by name; a class, so that it can be sent to other processes."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, parameters: dict[str, Any]) -> Any:
        return self._function(**parameters)


def _exceptions(catch: Any) -> tuple[type[BaseException], ...]:
    listed = catch if isinstance(catch, tuple) else (catch,)
    for one in listed:
        if not (isinstance(one, type) and issubclass(one, BaseException)):
            raise WrongTypeError(f"catch must be exception classes, not {one!r}")
    return listed


def _make_backend(
    definition: Definition,
    options: Options,
    designs: list[list[float]],
    store: object,
    name: object,
    evaluate: object,
    drawn: bool,
) -> Backend:
    if store is not None:
        from ._record import create

        return create(definition, options, designs, store, name, evaluate, drawn=drawn)

    from ._memory import Memory

    for what, given in (("name", name), ("evaluate", evaluate)):
        if given is not None:
            raise InvalidError(f"{what}: only a study with a store has one")
    memory = Memory(definition, options)
    for x in designs:
        memory.queue(x)
    return memory


def _number_of(trial: object) -> int:
    return trial.number if isinstance(trial, Trial) else as_integer("trial", trial, 1, 2**31 - 1)


def _measurement(outcome: int, name: str, given: Any) -> Measurement:
    if isinstance(given, tuple | list):
        if len(given) != 2:
            raise InvalidError(f"{name} must be a number or (value, sd), not {given!r}")
        value, sd = given
        sd = as_finite(f"{name}: sd", sd)
        if sd < 0:
            raise InvalidError(f"{name}: sd must not be negative, as {sd:g} is")
        return Measurement(outcome, as_finite(name, value), sd)
    return Measurement(outcome, as_finite(name, given), lib.CKG_SD_DEFAULT)


def _answer(name: str, given: Any) -> float:
    """True or False, also NumPy's, or 1 or 0."""
    if isinstance(given, bool) or kind(given) == "bool":
        return float(given)
    if not isinstance(given, str | tuple | list) and given in (0, 1):
        return float(given)
    raise InvalidError(f"{name} must be True or False, not {given!r}")


def _unknown(forecast: Forecast) -> bool:
    return all(map(math.isnan, forecast.mean))
