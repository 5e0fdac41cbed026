"""Find and prove what always holds of reachable positions: groups of mutually exclusive bases, constant
bases.

Random playouts suggest groups (bases whose fluents differ in some arguments only, of which never two were
seen together); induction over the net proves them: if all candidates hold before a legal joint move, each
holds after it. A counterexample throws out what it violates and the rest is tried again, until nothing
changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gdl.program import GroundProgram
from ggp.circuits.candidates import candidate_groups, without_subsets
from ggp.circuits.circuit import Circuit
from ggp.circuits.graph import Net
from ggp.circuits.simulate import lanes_of, playouts, unpack
from ggp.circuits.solver import Care, Fact, Group, Solver, Values
from ggp.circuits.work import Work
from ggp.core.arraytypes import Bools

_TICK, _GATE_WORDS, _CHOICES = 300, 300, 8
"""Work of a step of the playouts; so many gates, and choices of moves, times words, are one unit."""
_PATIENCE, _SHARE, _LONG = 20_000, 300, 6
"""An invariant is given up when its proof has cost this much, or this many times what there is for each gate [work]."""
_TURNS = 250_000
"""The proof of turn taking may need more: all later proofs are easier by it [work]."""
_LOOK, _TRIED, _LATE, _HOPELESS = 8, 0.2, 0.5, 3
"""Every so many questions, and when between these parts of the work are spent, an induction that would need so many
times what is left is given up: nothing is proved before its end."""


@dataclass(frozen=True)
class Samples:
    """Values seen in random playouts, one column a sample.

    states   bool (bases, n): positions before a move, none of them terminal, and terminal ones as well
    moving   bool (n,): was this position followed by a joint move?
    moves    bool (inputs, n): what was done (all false where not moving)
    """

    states: Bools
    moving: Bools
    moves: Bools

    @property
    def count(self) -> int:
        """How many samples."""
        return int(self.states.shape[1])


def sample(circuit: Circuit, *, words: int, steps: int, keep: int, seed: int, work: Work) -> Samples:
    """Positions and joint moves from random playouts, at most `keep` of them, spread over the playouts."""
    rng = np.random.default_rng(seed)
    tick_cost = _TICK + circuit.gates * words // _GATE_WORDS + circuit.inputs * words // _CHOICES
    states, moving, moves = [], [], []
    share = max(64, keep // max(1, steps // 2))
    first = 1 + circuit.bases
    previous: Bools | None = None
    for tick in playouts(circuit, words, steps, seed):
        ended = np.flatnonzero(tick.terminal)
        if previous is not None and len(ended):
            chosen = rng.choice(ended, min(len(ended), max(8, share // 8)), replace=False)
            states.append(previous[:, chosen])
            moving.append(np.zeros(len(chosen), np.bool_))
            moves.append(np.zeros((circuit.inputs, len(chosen)), np.bool_))
        able = np.flatnonzero((tick.moves >= 0).all(axis=0))
        chosen = rng.choice(able, min(len(able), share), replace=False) if len(able) else able
        states.append(lanes_of(tick.bank[1:first], chosen))
        moving.append(np.ones(len(chosen), np.bool_))
        moves.append(lanes_of(tick.bank[first : circuit.first], chosen))
        previous = unpack(tick.bank[circuit.next >> 1]) ^ (circuit.next & 1).astype(bool)[:, None]
        work.spend(tick_cost)
        if not work.left or sum(len(m) for m in moving) > 4 * keep:
            break
    all_states = np.concatenate(states, axis=1)
    all_moving, all_moves = np.concatenate(moving), np.concatenate(moves, axis=1)
    if all_states.shape[1] > keep:
        chosen = np.sort(rng.choice(all_states.shape[1], keep, replace=False))
        all_states, all_moving, all_moves = all_states[:, chosen], all_moving[chosen], all_moves[:, chosen]
    return Samples(all_states, all_moving, all_moves)


def prove(
    net: Net,
    roles: Sequence[tuple[int, int]],
    samples: Samples,
    program: GroundProgram,
    work: Work,
) -> Care:
    """The largest subset of the candidates that is inductive, as far as the budget goes."""
    states = samples.states
    groups = candidate_groups(program, states, work.until(0.25))
    late = _needs_moves(net)
    # whose turn it is and step counters first: cheap, and worth having when the rest runs out of time
    easy = [g for g in groups if not any(late[net.next[i] >> 1] for i in g.members)]
    first = _induce(net, roles, Care(), easy, work.until(0.4))
    first = replace(first, moves=joint_moves(net, roles, samples, first, work))
    hard = [g for g in groups if g not in set(first.groups)]
    second = _Induction(net, roles, first, hard, work.until(0.8))
    care = _with_groups(first, second.run())
    if second.unsure:  # some took too long; perhaps they need one another, and more patience
        third = _Induction(net, roles, care, second.unsure, work.until(0.8), patience=work.left // _LONG)
        care = _with_groups(care, third.run())
    never, always = np.flatnonzero(~states.any(axis=1)), np.flatnonzero(states.all(axis=1))
    constants = _induce(net, roles, care, [], work, never.tolist(), always.tolist())
    care = replace(care, never=constants.never, always=constants.always)
    return care if care.moves else replace(care, moves=joint_moves(net, roles, samples, care, work))


def _with_groups(known: Care, more: Care) -> Care:
    """What is known, and further groups."""
    return replace(known, groups=without_subsets([*known.groups, *more.groups]))


def _induce(
    net: Net,
    roles: Sequence[tuple[int, int]],
    known: Care,
    groups: list[Group],
    work: Work,
    never: Sequence[int] = (),
    always: Sequence[int] = (),
) -> Care:
    """Those of the candidates that are proved by induction; none when the work is used up."""
    if not work.left or not (groups or never or always):
        return Care()
    return _Induction(net, roles, known, groups, work, never, always).run()


def _needs_moves(net: Net) -> list[bool]:
    """Which gates depend on an input; feedback gates count as if they did."""
    graph = net.graph
    late = [net.bases < gate <= graph.leaves or gate in graph.feedback for gate in range(len(graph))]
    for gate in range(1 + graph.leaves, len(graph)):
        late[gate] = late[gate] or late[graph.left[gate] >> 1] or late[graph.right[gate] >> 1]
    return late


@dataclass(frozen=True)
class _Candidate:
    """A fact that may be an invariant: its kind, the bases, what is taken for granted, and when a move breaks it."""

    kind: str
    members: tuple[int, ...]
    fact: Fact
    broken: int


class Forecast:
    """What an induction will still cost, by what its questions have cost so far, the dearest left out."""

    def __init__(self, work: Work) -> None:
        self.work, self.start = work, work.left
        self.before, self.questions, self.dearest = work.left, 0, 0

    def asked(self) -> None:
        """Take note of a question."""
        left = self.work.left
        self.questions += 1
        self.dearest = max(self.dearest, self.before - left)
        self.before = left

    @property
    def is_due(self) -> bool:
        """Is it time to ask?"""
        part = (self.start - self.before) / max(1, self.start)
        return self.questions > 0 and self.questions % _LOOK == 0 and _TRIED <= part <= _LATE

    def is_hopeless(self, standing: int) -> bool:
        """Would it cost far more than is left to ask about so many candidates?"""
        spent = self.start - self.before - self.dearest
        return spent * standing > _HOPELESS * self.before * (self.questions - 1)


class _Induction:
    """Houdini: assume every candidate, throw out those that a joint move can break, until all survive."""

    def __init__(
        self,
        net: Net,
        roles: Sequence[tuple[int, int]],
        known: Care,
        groups: list[Group],
        work: Work,
        never: Sequence[int] = (),
        always: Sequence[int] = (),
        patience: int = 0,
    ) -> None:
        """`patience`: work for one question, if it is more than usual."""
        self.net = net
        self.work = work
        self.unsure: list[Group] = []
        """Groups that were neither proved nor refuted while all candidates stood."""
        patience = max(patience, _PATIENCE, _SHARE * work.left // len(net.graph))
        self.solver = Solver(net, roles, known, work, patience)
        self._groups = {group.members: group for group in groups}
        self.candidates: list[_Candidate] = []
        for group in groups:
            then = [net.next[i] for i in group.members]
            self._assume("most", group.members, self.solver.two(then))
            if group.exact:
                self._assume("least", group.members, self.solver.some(then) ^ 1)
        for i in never:
            self._assume("never", (i,), net.next[i])
        for i in always:
            self._assume("least", (i,), net.next[i] ^ 1)

    def _assume(self, kind: str, members: tuple[int, ...], broken: int) -> None:
        """Add a candidate: it holds before a move; the literal says that it does not hold after it."""
        gates = tuple(1 + i for i in members)
        fact = self.solver.fact(gates, most=kind == "most", least=kind == "least")
        self.candidates.append(_Candidate(kind, members, fact, broken))

    def run(self) -> Care:
        """Prove or discard every candidate."""
        forecast = Forecast(self.work)
        dropped = True
        while dropped:
            dropped = False
            for place, candidate in enumerate(self.candidates):
                if not candidate.fact.held:
                    continue
                if not self.work.left:
                    return Care()  # a partly checked set proves nothing
                if forecast.is_due and forecast.is_hopeless(self._standing(0 if dropped else place)):
                    self.unsure = []  # with more patience it would cost even more
                    return Care()
                impossible, values = self.solver.ask([candidate.broken], moving=True)
                forecast.asked()
                if impossible is None:
                    self._doubt()
                    self.solver.drop(candidate.fact)
                elif not impossible:
                    self._discard(values)
                    assert not candidate.fact.held
                dropped |= not impossible
        return self._care()

    def _standing(self, first: int) -> int:
        """How many candidates stand, from this one on."""
        return sum(candidate.fact.held for candidate in self.candidates[first:])

    def _doubt(self) -> None:
        """From now on, what is refuted may be so for want of a candidate that is not."""
        if not self.unsure:
            standing = dict.fromkeys(c.members for c in self.candidates if c.fact.held)
            self.unsure = [self._groups[members] for members in standing if members in self._groups]

    def _discard(self, values: Values) -> None:
        """Drop every candidate the counterexample breaks."""
        then = np.array(self.net.next)
        after = values[then >> 1] ^ (then & 1)
        for candidate in self.candidates:
            if candidate.fact.held:
                count = int(after[list(candidate.members)].sum())
                kind = candidate.kind
                if count == 0 if kind == "least" else count >= (1 if kind == "never" else 2):
                    self.solver.drop(candidate.fact)

    def _care(self) -> Care:
        """The survivors."""
        survivors = [(c.kind, c.members) for c in self.candidates if c.fact.held]
        least = {m for kind, m in survivors if kind == "least"}
        return Care(
            groups=tuple(Group(m, m in least) for kind, m in survivors if kind == "most"),
            never=tuple(m[0] for kind, m in survivors if kind == "never"),
            always=tuple(sorted(m[0] for m in least if len(m) == 1)),
        )


def joint_moves(
    net: Net, roles: Sequence[tuple[int, int]], samples: Samples, care: Care, work: Work
) -> tuple[tuple[int, ...], ...]:
    """In games of turns, all moves but each role's waiting move form one exactly-one group; proved, or
    empty.
    """
    moves = samples.moves[:, samples.moving]
    if len(roles) < 2 or not moves.size:
        return ()
    waiting = []
    for lo, hi in roles:
        if hi <= lo:
            return ()
        waiting.append(lo + int(moves[lo:hi].sum(axis=1).argmax()))
    if not (moves[waiting].sum(axis=0) == len(roles) - 1).all():
        return ()
    solver = Solver(net, roles, care, work, patience=_TURNS)
    inputs = [2 * (1 + net.bases + j) for j in waiting]
    too_many, too_few = solver.some([x ^ 1 for x in inputs]) ^ 1, solver.two([x ^ 1 for x in inputs])
    if not (solver.impossible([too_many], moving=True) and solver.impossible([too_few], moving=True)):
        return ()
    return (tuple(j for lo, hi in roles for j in range(lo, hi) if j not in waiting),)
