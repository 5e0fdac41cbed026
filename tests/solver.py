"""Exact values of positions by brute force, level by level on a bank of lanes: no search, nothing shared with one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl.terms import Term
from ggp.lanes.bank import Bank
from ggp.machines.circuit import CircuitMachine, packed

_LANES = 2048


@dataclass
class _Level:
    """Different positions at one distance from the start, and the joint moves that leave them."""

    states: NDArray[np.bool_]
    """[positions, bases]"""
    ended: NDArray[np.bool_]
    goals: NDArray[np.int64]
    """[positions, roles]"""
    decider: NDArray[np.int64]
    """The role that chooses; 0 where none has a choice."""
    parent: NDArray[np.int64]
    """Of each joint move: the number of its position here."""
    child: NDArray[np.int64]
    """Of each joint move: the number of the position it leads to, a level further."""
    joint: NDArray[np.int64]
    """[moves, roles] inputs"""


class Solver:
    """Looks at all that can be played from a position, for games in which one role at a time has a choice."""

    def __init__(self, machine: CircuitMachine) -> None:
        self.machine = machine
        self.bank = Bank(machine.engine, _LANES, seed=1)
        self.starts = machine.circuit.role_starts.tolist()

    def levels(self, position: bytes, depth: int, most: int = 3_000_000) -> list[_Level]:
        """All positions up to so many steps away, once for each level."""
        states = self.machine.bits(position)[None, :]
        found: list[_Level] = []
        for step in range(depth + 1):
            level, states = self._expand(states, last=step == depth)
            found.append(level)
            if not len(states):
                break
            assert len(states) < most, "too many positions for brute force"
        return found

    def bounds(self, position: bytes, depth: int) -> dict[Term, tuple[float, float]]:
        """For each move of the role that chooses: the least and the most it is worth, whatever lies beyond `depth` steps.

        The others want that role to have as little as possible: two roles with opposite goals, or one role.
        """
        levels = self.levels(position, depth)
        assert not levels[0].ended[0], "the position is an end"
        role = int(levels[0].decider[0])
        low, high = self._values(levels, role)[1]
        own, child = levels[0].joint[:, role].tolist(), levels[0].child
        return {self.machine.inputs[i]: (float(low[c]), float(high[c])) for i, c in zip(own, child.tolist(), strict=True)}

    def all_choices(self, position: bytes, depth: int) -> Iterator[tuple[bytes, int, dict[Term, float]]]:
        """Every position below one where a role chooses: the role, and what each of its moves is worth to it.

        `depth` must reach all ends; two roles share a hundred points.
        """
        levels = self.levels(position, depth)
        values = self._values(levels, 0)
        best = float(self.machine.circuit.goal_values.max())
        for level, (low, high) in zip(levels, values[1:], strict=False):
            assert (low == high).all(), "the depth does not reach all ends"
            for number in range(len(level.ended)):
                moves = np.flatnonzero(level.parent == number)
                role = int(level.decider[number])
                if len(moves) > 1:
                    found = {
                        self.machine.inputs[level.joint[m, role]]: abs(float(low[level.child[m]]) - role * best)
                        for m in moves.tolist()
                    }
                    yield packed(level.states[number]), role, found

    def _values(self, levels: list[_Level], role: int) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """The least and the most that each position of each level is worth to a role."""
        best = float(self.machine.circuit.goal_values.max())
        found: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
        for level in reversed(levels):
            low, high = np.zeros(len(level.ended)), np.full(len(level.ended), best)
            low[level.ended] = high[level.ended] = level.goals[level.ended, role]
            mine = level.decider == role
            for array, source in zip((low, high), found[-1] if found else (), strict=False):
                most, least = np.full(len(array), -np.inf), np.full(len(array), np.inf)
                np.maximum.at(most, level.parent, source[level.child])
                np.minimum.at(least, level.parent, source[level.child])
                led = np.isfinite(most)
                array[led] = np.where(mine, most, least)[led]
            found.append((low, high))
        return found[::-1]

    def _expand(self, states: NDArray[np.bool_], *, last: bool) -> tuple[_Level, NDArray[np.bool_]]:
        roles = len(self.machine.roles)
        parts: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        ended, goals = np.zeros(len(states), np.bool_), np.zeros((len(states), roles), np.int64)
        decider = np.zeros(len(states), np.int64)
        for lo in range(0, len(states), _LANES):
            here = np.arange(lo, min(lo + _LANES, len(states)))
            lanes = here - lo
            self.bank.load(lanes, states[here])
            self.bank.look()
            ended[here], goals[here] = self.bank.is_ended(lanes), self.bank.goals(lanes)
            if not last:
                legal = self.bank.legal_bits(lanes) & ~ended[here][:, None]
                decider[here], parents, joint = self._joints(legal)
                parts.append((parents + lo, joint))
        parent = np.concatenate([p for p, _ in parts]) if parts else np.zeros(0, np.int64)
        joint = np.concatenate([j for _, j in parts]) if parts else np.zeros((0, roles), np.int64)
        after, child = self._after(states, parent, joint)
        return _Level(states, ended, goals, decider, parent, child, joint), after

    def _joints(self, legal: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The role that chooses in each lane, and all joint moves: lane and inputs."""
        counts = np.array([legal[:, lo:hi].sum(axis=1) for lo, hi in zip(self.starts, self.starts[1:], strict=False)]).T
        assert ((counts > 1).sum(axis=1) <= 1).all(), "several roles choose at once"
        decider = (counts > 1).argmax(axis=1)
        first = np.array(
            [lo + legal[:, lo:hi].argmax(axis=1) for lo, hi in zip(self.starts, self.starts[1:], strict=False)]
        ).T
        owner = np.searchsorted(np.array(self.starts[1:]), np.arange(legal.shape[1]), side="right")
        able = (counts > 0).all(axis=1).reshape(-1, 1)
        lane, move = np.nonzero(legal & (owner[None, :] == decider[:, None]) & able)
        joint = first[lane]
        joint[np.arange(len(lane)), decider[lane]] = move
        return decider, lane, joint

    def _after(
        self, states: NDArray[np.bool_], parent: NDArray[np.int64], joint: NDArray[np.int64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """The different positions after joint moves, and which of them each leads to."""
        found = []
        for lo in range(0, len(parent), _LANES):
            lanes = np.arange(min(_LANES, len(parent) - lo))
            self.bank.load(lanes, states[parent[lo : lo + _LANES]])
            self.bank.give(lanes, joint[lo : lo + _LANES])
            self.bank.tick()
            found.append(np.packbits(self.bank.save(lanes), axis=1))
        if not found:
            return states[:0], np.zeros(0, np.int64)
        packed = np.concatenate(found)
        keys = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1])))[:, 0]
        _, first, child = np.unique(keys, return_index=True, return_inverse=True)
        return np.unpackbits(packed[first], axis=1)[:, : states.shape[1]].astype(np.bool_), child.astype(np.int64)
