"""The kernels of the vector environment: choices into lanes, and ends out of them, 64 lanes to a word.

memory: uint64 [blocks, rows, words], as `ggp.lanes.bank` has it. A lane's number is its place in the words of all blocks.
choosing: uint64 [roles, blocks, words], the lanes in which a role has more than one legal move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.core.kernels import kernel

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
_ONE, _ALL = np.uint64(1), np.uint64(2**64 - 1)


class Form(NamedTuple):
    """What never changes while lanes play: where things are in the memory, and how a game begins."""

    ended: int
    """Rows: `ggp.lanes.memory.Rows` says what each means."""
    goal: int
    given: int
    moves: int
    legal: int
    starts: NDArray[np.int32]
    """[roles + 1] the inputs of each role."""
    table: Ints
    """[roles, actions] the input of each action; -1 where a role has no such action."""
    mine: NDArray[np.bool_]
    """[roles] whether the agent plays the role."""
    initial: NDArray[np.bool_]
    """[bases] the first position."""
    first: NDArray[np.bool_]
    """[inputs] what is legal there."""
    goal_roles: NDArray[np.int32]
    goal_values: NDArray[np.int32]
    limit: int
    """Steps after which a game is truncated."""


class Tally(NamedTuple):
    """What is counted for each lane; the environment hands it out."""

    age: Ints
    mover: Ints
    """The role that acted last; -1 where none did."""
    illegal: NDArray[np.bool_]
    rewards: NDArray[np.float64]
    """[lanes, roles]"""
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    last: NDArray[np.int8]
    """[lanes, bases] the last position of a game that has ended."""


@kernel
def give(form: Form, memory: Words, choosing: Words, actions: Ints, tally: Tally, luck: Words) -> int:
    """Write down what each lane plays in the next tick; a lane where two roles of the agent's choose, or -1.

    The agent's actions that are not legal are noted, and the first legal move is played. Other roles draw by `luck`,
    uint64 [1].
    """
    clash = -1
    blocks, _, words = memory.shape
    tally.mover[:] = -1
    tally.illegal[:] = False
    for block in range(blocks):
        memory[block, form.given] = _ALL
        for role in range(len(form.mine)):
            for i in range(form.starts[role], form.starts[role + 1]):
                for w in range(words):
                    memory[block, form.moves + i, w] = memory[block, form.legal + i, w] & ~choosing[role, block, w]
            for w in range(words):
                clash = max(clash, _choose(form, memory, choosing[role, block, w], actions, tally, luck, role, block, w))
    return clash


@kernel
def _choose(
    form: Form, memory: Words, left: np.uint64, actions: Ints, tally: Tally, luck: Words, role: int, block: int, w: int
) -> int:
    """Add the choices of a role in the lanes `left` of a word; see `give`."""
    lo, hi = form.starts[role], form.starts[role + 1]
    lane, clash = (block * memory.shape[2] + w) * 64, -1
    while left:
        bit = left & (~left + _ONE)
        left ^= bit
        at = lane + _place(bit)
        if at >= len(actions):
            break
        wanted = -1
        if form.mine[role]:
            if tally.mover[at] >= 0:
                clash = at
            tally.mover[at] = role
            action = actions[at]
            if 0 <= action < form.table.shape[1]:
                wanted = form.table[role, action]
            if wanted < 0 or not memory[block, form.legal + wanted, w] & bit:
                tally.illegal[at] = True
                wanted = _legal(form, memory, block, w, lo, hi, bit, 0)
        else:
            count = 0
            for i in range(lo, hi):
                count += (memory[block, form.legal + i, w] & bit) != 0
            wanted = _legal(form, memory, block, w, lo, hi, bit, _draw(luck, count))
        memory[block, form.moves + wanted, w] |= bit
    return clash


@kernel
def _place(bit: np.uint64) -> int:
    """The number of the only bit that is set."""
    place = 0
    for step in (32, 16, 8, 4, 2, 1):
        if bit >> np.uint64(step):
            bit >>= np.uint64(step)
            place += step
    return place


@kernel
def _legal(form: Form, memory: Words, block: int, w: int, lo: int, hi: int, bit: np.uint64, number: int) -> int:
    """The legal input of a role and a lane that has so many before it."""
    for i in range(lo, hi):
        if memory[block, form.legal + i, w] & bit:
            if number == 0:
                return i
            number -= 1
    return lo


@kernel
def _draw(luck: Words, count: int) -> int:
    """A number below `count`; the generator is xorshift64*."""
    x = luck[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    luck[0] = x
    return int(((x * np.uint64(2685821657736338717)) >> np.uint64(33)) * np.uint64(count) >> np.uint64(31))


@kernel
def settle(form: Form, memory: Words, choosing: Words, moved: Words, fresh: Words, tally: Tally, legal: Words) -> bool:
    """Look at the lanes that have moved: note and begin anew the games that are over. Whether any go on unasked.

    moved, fresh: uint64 [blocks, words]. `moved` becomes the lanes in which nobody of the agent's is asked, `fresh` has
    those that have begun anew since the agent acted: what ends there is no affair of its.

    legal: uint64 [actions, lanes / 64], which actions are legal for a role of the agent's that chooses; told at the end.
    """
    blocks, _, words = memory.shape
    over = np.zeros(words, np.uint64)
    waiting = False
    for block in range(blocks):
        _count_choices(form, memory, choosing, block, over)  # where a role is stuck, to begin with
        some = False
        for w in range(words):
            here = moved[block, w]
            late = _late(form, here, fresh[block, w], (block * words + w) * 64, tally)
            over[w] = here & (memory[block, form.ended, w] | over[w] | late)
            some = some or over[w] != 0
            _note(form, memory, block, w, over[w] & ~fresh[block, w], tally)
        if some:
            _renew(form, memory, choosing, block, over, tally)
        for w in range(words):
            fresh[block, w] |= over[w]
            asked = np.uint64(0)
            for role in range(len(form.mine)):
                if form.mine[role]:
                    asked |= choosing[role, block, w]
            moved[block, w] &= ~asked
            waiting = waiting or moved[block, w] != 0
    if not waiting:
        _tell_legal(form, memory, choosing, legal)
    return waiting


@kernel
def _count_choices(form: Form, memory: Words, choosing: Words, block: int, stuck: Words) -> None:
    """Set `choosing` for a block, and `stuck` to the lanes in which a role has no legal move. stuck: uint64 [words]."""
    words = len(stuck)
    some = np.zeros(words, np.uint64)
    stuck[:] = 0
    for role in range(len(form.mine)):
        many = choosing[role, block]
        some[:] = 0
        many[:] = 0
        for i in range(form.starts[role], form.starts[role + 1]):
            for w in range(words):
                legal = memory[block, form.legal + i, w]
                many[w] |= some[w] & legal
                some[w] |= legal
        for w in range(words):
            stuck[w] |= ~some[w]


@kernel
def _late(form: Form, here: np.uint64, fresh: np.uint64, lane: int, tally: Tally) -> np.uint64:
    """The lanes that are at the limit, or have acted against the rules in this game; all become a step older."""
    found = np.uint64(0)
    for k in range(min(64, len(tally.age) - lane)):
        if (here >> np.uint64(k)) & _ONE:
            tally.age[lane + k] += 1
            erred = tally.illegal[lane + k] and not (fresh >> np.uint64(k)) & _ONE
            if erred or tally.age[lane + k] >= form.limit:
                found |= _ONE << np.uint64(k)
    return found


@kernel
def _note(form: Form, memory: Words, block: int, w: int, over: np.uint64, tally: Tally) -> None:
    """Rewards, and the last positions, of games that are over."""
    while over:
        bit = over & (~over + _ONE)
        over ^= bit
        lane = (block * memory.shape[2] + w) * 64 + _place(bit)
        goals = np.zeros(len(form.mine), np.int64)
        for j in range(len(form.goal_roles)):
            if memory[block, form.goal + j, w] & bit:
                goals[form.goal_roles[j]] = max(goals[form.goal_roles[j]], form.goal_values[j])
        for role in range(len(goals)):
            tally.rewards[lane, role] = (goals[role] - 50) / 50
        ended = (memory[block, form.ended, w] & bit) != 0
        if tally.illegal[lane]:
            tally.rewards[lane] = 0
            tally.rewards[lane, tally.mover[lane]] = -1
            ended = True
        tally.terminated[lane] = ended
        tally.truncated[lane] = not ended
        for i in range(len(form.initial)):
            tally.last[lane, i] = (memory[block, i, w] & bit) != 0


@kernel
def _renew(form: Form, memory: Words, choosing: Words, block: int, over: Words, tally: Tally) -> None:
    """The first position in some lanes of a block, and what is legal there. over: uint64 [words]."""
    words = len(over)
    for i in range(len(form.initial)):
        _set(memory[block, i], over, form.initial[i])
    for i in range(len(form.first)):
        _set(memory[block, form.legal + i], over, form.first[i])
    for role in range(len(form.mine)):
        legal = 0
        for i in range(form.starts[role], form.starts[role + 1]):
            legal += form.first[i]
        _set(choosing[role, block], over, legal > 1)
    for w in range(words):
        lane = (block * words + w) * 64
        for k in range(min(64, len(tally.age) - lane)):
            if (over[w] >> np.uint64(k)) & _ONE:
                tally.age[lane + k] = 0


@kernel
def _set(row: Words, lanes: Words, value: bool) -> None:
    """Set or clear some lanes of a row. row, lanes: uint64 [words]."""
    for w in range(len(row)):
        row[w] = row[w] | lanes[w] if value else row[w] & ~lanes[w]


@kernel
def _tell_legal(form: Form, memory: Words, choosing: Words, out: Words) -> None:
    """See `legal` of `settle`."""
    blocks, _, words = memory.shape
    out[:] = 0
    for role in range(len(form.mine)):
        if form.mine[role]:
            for action in range(form.table.shape[1]):
                wanted = form.table[role, action]
                for block in range(blocks if wanted >= 0 else 0):
                    for w in range(words):
                        legal = memory[block, form.legal + wanted, w]
                        out[action, block * words + w] |= legal & choosing[role, block, w]
