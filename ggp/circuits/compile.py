"""Text or ground program to circuit: the stages in order, each timed, counted and switchable."""

from __future__ import annotations

import itertools
import resource
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from gdl.garbage import paused
from gdl.groundrules import GroundRules
from gdl.program import GroundProgram
from ggp.circuits.alike import merge_alike
from ggp.circuits.build import build_factored, build_naive
from ggp.circuits.circuit import Circuit
from ggp.circuits.emit import emit
from ggp.circuits.graph import Net
from ggp.circuits.invariants import Samples, prove, sample
from ggp.circuits.multivalued import build_with_sets
from ggp.circuits.regroup import distribute, regroup
from ggp.circuits.resub import reduce_by_proof
from ggp.circuits.solver import Care, Group
from ggp.circuits.translate import depends, table_of
from ggp.circuits.work import Work


@dataclass(frozen=True)
class CompileSettings:
    """What to do, and how much work to spend (see `work`: a unit takes about a microsecond).

    alike         give parts of rules that always come in the same company an atom, before all else
    sets          build with one-hot groups as sets; otherwise the plain factored translation
    invariants    look for one-hot groups of bases and for turn taking, and prove them
    share         share pairs of literals among many-input gates
    distribute    factor products of one sum that only it uses
    merge         merge gates that are equal on reachable positions, proved by SAT
    resubstitute  rebuild gates from two others where that frees more, proved by SAT
    work          for all that samples or proves; what is cut off is sound [work]
    sharing       for each pass that shares pairs [work]
    samples       positions kept from random playouts [positions]
    seed          of the random playouts
    deep          how often a shared part may be used and still be dissolved, to be shared anew: in one pass after another
    gate_limit    refuse circuits with more gates while building [gates]
    """

    alike: bool = True
    sets: bool = True
    invariants: bool = True
    share: bool = True
    distribute: bool = True
    merge: bool = True
    resubstitute: bool = True
    work: int = 15_000_000
    sharing: int = 10_000_000
    samples: int = 2048
    seed: int = 1
    deep: tuple[int, ...] = (4, 6, 8)
    gate_limit: int = 20_000_000


@dataclass(frozen=True)
class Stage:
    """One pass: its name, the gates after it, and the processor time it took [s]."""

    name: str
    gates: int
    seconds: float


@dataclass
class Report:
    """What happens to one program."""

    stages: list[Stage] = field(default_factory=list)
    care: Care = field(default_factory=Care)
    work: int = 0
    tell: Callable[[str], None] = lambda _: None
    """Told of each stage before it begins."""
    check: Callable[[], None] | None = None
    """Asked again and again; raises to end the compilation."""

    def begin(self, name: str) -> None:
        """Tell of a stage, and of how large the circuit is before it."""
        if self.check is not None:
            self.check()
        self.tell(f"{name}, {self.gates:,} gates" if self.gates else name)

    @property
    def gates(self) -> int:
        """Of the circuit as it is now."""
        return self.stages[-1].gates if self.stages else 0

    @property
    def seconds(self) -> dict[str, float]:
        """What each stage took; some come several times [s]."""
        found: dict[str, float] = {}
        for stage in self.stages:
            found[stage.name] = found.get(stage.name, 0.0) + stage.seconds
        return found

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Tell of a stage and time it, with the processes that end in it."""
        self.begin(name)
        start = processor_time()
        yield
        self.stages.append(Stage(name, self.gates, processor_time() - start))

    def run(self, name: str, make: Callable[[], Net]) -> Net:
        """Time one pass."""
        with self.stage(name):
            net = make()
        self.stages[-1] = replace(self.stages[-1], gates=net.size())
        return net

    def improve(self, name: str, net: Net, make: Callable[[Net], Net]) -> Net:
        """Run a pass and keep its result only if it is smaller."""
        before = net.size()
        new = self.run(name, lambda: make(net))
        if self.stages[-1].gates < before:
            return new
        self.stages[-1] = replace(self.stages[-1], gates=before)
        return net


def processor_time() -> float:
    """Of this process and of those that it has waited for [s]."""
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def roles_of(program: GroundProgram) -> list[tuple[int, int]]:
    """Range of inputs of each role."""
    counts = [0] * len(program.roles)
    for pair in program.inputs:
        counts[pair.role] += 1
    starts = [sum(counts[:i]) for i in range(len(counts) + 1)]
    return list(itertools.pairwise(starts))


def core_of(program: GroundProgram) -> GroundProgram:
    """The program without goals and percepts: all that playouts and induction need."""
    return pruned(replace(program, goals=(), sees=()))


def pruned(core: GroundProgram) -> GroundProgram:
    """The program with those rules only that its outputs need."""
    rules = GroundRules.of(core.rules)
    heads, starts, literals = [np.asarray(column) for column in (rules.heads, rules.starts, rules.literals)]
    needed = depends(table_of(core), core.outputs)[heads]
    size = np.diff(starts)
    parts = heads[needed], np.cumsum([0, *size[needed]]), literals[np.repeat(needed, size)]
    return replace(core, rules=GroundRules(*[array("i", part.astype(np.int32).tobytes()) for part in parts]))


def learn(program: GroundProgram, net: Net, settings: CompileSettings, work: Work) -> tuple[Samples | None, Care]:
    """Sample random playouts and prove what they suggest."""
    if not net.bases or not net.inputs:
        return None, Care()
    learning = work.until(0.7)
    sampling = learning.until(0.15)
    samples = sample(emit(program, net), words=4, steps=150, keep=settings.samples, seed=settings.seed, work=sampling)
    return samples, prove(net, roles_of(program), samples, program, learning)


class Compilation:
    """One program on its way to a circuit: `quick` first, where somebody waits for it, and then `best`.

    Millions of objects are made and none of them in cycles: looking for dead ones took up to a fifth of the time.
    """

    def __init__(
        self, program: GroundProgram, settings: CompileSettings | None = None, report: Report | None = None
    ) -> None:
        """A `report` of the caller tells how far it is, and may end it."""
        self.program, self.settings, self.report = program, settings or CompileSettings(), report or Report()
        if self.settings.alike:
            with self.report.stage("alike"):
                self.program = merge_alike(program)

    @paused()
    def quick(self) -> Circuit:
        """The circuit as the rules have it, with nothing proved."""
        return self._emit(_algebra(self._factored(), self.report, replace(self.settings, deep=())))

    @property
    def is_quick_best(self) -> bool:
        """Whether the program is so large that nothing more is done about it."""
        return len(self.program.rules) > _SET_RULES

    @paused()
    def best(self) -> Circuit:
        """The small circuit."""
        if self.is_quick_best:
            return self.quick()
        program, settings, report = self.program, self.settings, self.report
        work = Work(settings.work, check=report.check)
        samples: Samples | None = None
        if settings.invariants and len(program.rules) <= _LEARN_RULES:
            core = core_of(program)
            net = report.run("core", lambda: build_factored(core, settings.gate_limit))
            if net.size() <= _LEARN_LIMIT:
                with report.stage("invariants"):
                    samples, report.care = learn(core, net, settings, work)
        net = _algebra(self._translated(), report, settings)
        if samples is not None and net.size() <= _MERGE_LIMIT and (settings.merge or settings.resubstitute):
            known, roles = samples, roles_of(program)
            merged = report.improve(
                "merge",
                net,
                lambda n: reduce_by_proof(n, roles, report.care, known, work, pairs=settings.resubstitute)[0],
            )
            if merged.size() < net.size():
                net = _algebra(merged, report, settings)
        report.work = work.spent
        return self._emit(net, report.care.groups)

    def _factored(self) -> Net:
        """The translation that knows no more than the rules."""
        return self.report.run("factored", lambda: build_factored(self.program, self.settings.gate_limit))

    def _translated(self) -> Net:
        """The translation that knows what was proved."""
        limit, report = self.settings.gate_limit, self.report
        if not self.settings.sets:
            return self._factored()
        return report.run("sets", lambda: build_with_sets(self.program, report.care, limit))

    def _emit(self, net: Net, groups: Sequence[Group] = ()) -> Circuit:
        with self.report.stage("emit"):
            return emit(self.program, net, groups)


def compile_program(
    program: GroundProgram, settings: CompileSettings | None = None, report: Report | None = None
) -> tuple[Circuit, Report]:
    """The small circuit of a ground program, and how it came about."""
    work = Compilation(program, settings, report)
    return work.best(), work.report


_LEARN_LIMIT, _LEARN_RULES = 250_000, 500_000
"""Larger nets are not sampled or proved about [gates], larger programs not even built for that [rules]."""
_SET_RULES = 1_000_000
"""Larger programs stay as the rules have them: sets would take half a minute, for an eighth of the gates [rules]."""
_DEEP_LIMIT = 250_000
"""In larger nets shared parts are not dissolved to be shared anew [gates]."""
_MERGE_LIMIT = 50_000
"""In larger nets no gates are merged: the work would end after less than a hundredth of them [gates]."""


def _algebra(net: Net, report: Report, settings: CompileSettings) -> Net:
    """Sharing and factoring in turn, each kept only if it helps."""
    for deep in (0, *settings.deep):
        if deep and net.size() > _DEEP_LIMIT:
            continue
        if settings.share:
            work = Work(settings.sharing, check=report.check)
            net = report.improve(f"share{deep or ''}", net, lambda n, d=deep, w=work: regroup(n, w, deep=d))  # type: ignore[misc]
        if settings.distribute:
            net = report.improve("distribute", net, distribute)
    return net


def compile_naive(program: GroundProgram, limit: int = 20_000_000) -> Circuit:
    """The literal translation, for comparison."""
    return emit(program, build_naive(program, limit))
