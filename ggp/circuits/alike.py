"""Parts of ground rules that always come in the same company get one atom, before anything is built of them.

Where a rule was ground as the product of all that it reads, it names whatever its conditions come from. A guard in a maze
goes where the player will be, and has a rule for each square of its own, each square of the player and each move of the
player. Of these, the pairs of a square and a move that lead to one place occur in the same *contexts*: beside the same
other literals, for the same heads. So one atom stands for such pairs, and has a rule for each of them; and of the guard's
rules one is left for each place and each square of its own. Instead of `members * contexts` there are
`members + contexts`:

    h <- a, c, d.  h <- b, c, d.  g <- a, c, e.  g <- b, c, e.     (a, c) and (b, c): for h beside d, for g beside e
    x <- a, c.  x <- b, c.  h <- x, d.  g <- x, e.

It is found by digests: those of its contexts, added up, are the company of a part. Parts of two literals or more are
tried, in bodies of three to five: those at the same places of (sorted) bodies, which never overlap, and those at all
places at once, the company that spares most first.
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gdl.groundrules import GroundRules
from gdl.program import GroundProgram
from ggp.circuits.translate import strata, table_of
from ggp.core.arraytypes import Bools, Ints, Longs, Words

_SIZES = (3, 4, 5)
"""Literals of the bodies that are looked at."""
_MOST = 2_000_000
"""Parts that are looked at; where there are more, those of longer bodies are left out."""
_LEAST = 8
"""Rules that an atom has to spare."""
_ROUNDS = 16
"""How often they are looked for, at most."""


class _Rules(NamedTuple):
    """Rules as arrays: see `GroundRules`."""

    heads: Ints
    starts: Ints
    literals: Ints


class _Parts(NamedTuple):
    """The parts at the same places of some bodies."""

    rule: Longs
    part: Words
    """Digests."""
    context: Words
    literals: Ints
    """[parts, literals of each]"""
    others: Ints
    """[parts, literals beside each]"""


class _Found(NamedTuple):
    """Parts that are to get atoms."""

    spared: int
    """Rules."""
    parts: Sequence[_Parts]
    atoms: Sequence[Longs]
    """Of each of these parts, the number of its atom among the new ones, -1: none."""


def merge_alike(program: GroundProgram) -> GroundProgram:
    """The program with atoms for such parts; itself where there are none."""
    ground = GroundRules.of(program.rules)
    rules = _Rules(*[np.asarray(column, np.int32) for column in (ground.heads, ground.starts, ground.literals)])
    looping, atoms = _looping(program), len(program.names)
    for _ in range(_ROUNDS):
        found = _best(rules, looping)
        if not found.spared:
            break
        rules, atoms = _rewritten(rules, found, atoms)
    new = atoms - len(program.names)
    if not new:
        return program
    made = GroundRules(*[array("i", column.tobytes()) for column in rules])
    return replace(program, rules=made, names=(*program.names, *[f"#alike{number}" for number in range(new)]))


def _looping(program: GroundProgram) -> Bools:
    """Of each atom, does it depend on itself? Loops are iterated, and should not become longer."""
    table = table_of(program)
    order, begins = strata(table)
    found = np.zeros(len(program.names), np.bool_)
    found[table.heads[order]] = np.repeat(np.diff(begins) > 1, np.diff(begins))
    return found


def _mixed(numbers: Words) -> Words:
    """A digest of each number (the finish of splitmix64)."""
    numbers = (numbers ^ numbers >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ numbers >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return numbers ^ numbers >> np.uint64(31)


def _parts(rules: _Rules, looping: Bools) -> list[_Parts]:
    """All that are tried."""
    made: list[_Parts] = []
    size = np.diff(rules.starts)
    fits = rules.heads >= len(looping)
    fits[~fits] = ~looping[rules.heads[~fits]]
    left = _MOST
    for many in _SIZES:
        rule = np.flatnonzero(fits & (size == many))
        places = [each for few in range(2, many) for each in itertools.combinations(range(many), few)]
        left -= len(rule) * len(places)
        if left < 0:
            break
        if not len(rule):
            continue
        bodies = rules.literals[rules.starts[rule][:, None] + np.arange(many, dtype=np.int32)]
        bodies = np.take_along_axis(bodies, np.argsort(np.abs(bodies), axis=1, kind="stable"), axis=1)
        digests = _mixed(bodies.astype(np.int64).view(np.uint64))
        heads = _mixed(rules.heads[rule].astype(np.uint64) << np.uint64(32))
        for place in places:
            beside = [i for i in range(many) if i not in place]
            part, others = digests[:, place].sum(1, dtype=np.uint64), digests[:, beside].sum(1, dtype=np.uint64)
            made.append(_Parts(rule, part, _mixed(heads + _mixed(others)), bodies[:, place], bodies[:, beside]))
    return made


def _best(rules: _Rules, looping: Bools) -> _Found:
    """The parts that spare most: those at certain places, or at any."""
    parts = _parts(rules, looping)
    ways = [_shared([each]) for each in parts] + ([_shared(parts)] if len(parts) > 1 else [])
    return max(ways, key=lambda found: found.spared, default=_Found(0, [], []))


def _shared(parts: Sequence[_Parts]) -> _Found:
    """Parts of one company, where that spares something; no rule is in two of them."""
    rule, part, context = (np.concatenate(column) for column in list(zip(*parts, strict=True))[:3])
    _, which = np.unique(part, return_inverse=True)
    company = np.zeros(which.max() + 1, np.uint64)
    np.add.at(company, which, context)
    _, one, group = np.unique(company, return_index=True, return_inverse=True)
    members, contexts = np.bincount(group), np.bincount(which)[one]
    gain = np.where(members > 1, members * contexts - members - contexts, 0)
    chosen = [int(each) for each in np.argsort(-gain, kind="stable") if gain[each] >= _LEAST]
    group = group[which]
    order = np.argsort(group, kind="stable")
    first = np.searchsorted(group[order], np.arange(len(gain) + 1))
    taken, atom = np.zeros(rule.max() + 1, np.bool_), np.full(len(rule), -1, np.int64)
    spared = count = 0
    for each in chosen:
        own = order[first[each] : first[each + 1]]
        if not taken[rule[own]].any():
            taken[rule[own]] = True
            atom[own] = count
            spared, count = spared + int(gain[each]), count + 1
    ends = np.cumsum([len(each.rule) for each in parts])
    return _Found(spared, parts, np.split(atom, ends[:-1]))


def _rewritten(rules: _Rules, found: _Found, atoms: int) -> tuple[_Rules, int]:
    """The rules with the new atoms, which are numbered from `atoms` on; the number of the next one."""
    kept = np.ones(len(rules.heads), np.bool_)
    members: dict[tuple[int, int], list[int]] = {}
    contexts: dict[tuple[int, int], tuple[int, list[int]]] = {}
    for parts, numbers in zip(found.parts, found.atoms, strict=True):
        for i in np.flatnonzero(numbers >= 0):
            kept[parts.rule[i]] = False
            atom = atoms + int(numbers[i])
            if (atom, int(parts.part[i])) not in members:
                members[atom, int(parts.part[i])] = parts.literals[i].tolist()
            if (atom, int(parts.context[i])) not in contexts:
                contexts[atom, int(parts.context[i])] = int(rules.heads[parts.rule[i]]), parts.others[i].tolist()
    made = [(atom, body) for (atom, _), body in members.items()]
    made += [(head, [*others, atom]) for (atom, _), (head, others) in contexts.items()]
    size = np.diff(rules.starts)
    sizes = np.concatenate([[0], size[kept], [len(body) for _, body in made]])
    heads = np.concatenate([rules.heads[kept], [head for head, _ in made]])
    literals = np.concatenate([rules.literals[np.repeat(kept, size)], *[body for _, body in made]])
    columns = (heads, np.cumsum(sizes), literals)
    return _Rules(*[column.astype(np.int32) for column in columns]), 1 + max(atom for atom, _ in members)
