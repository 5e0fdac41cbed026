"""Rules to ground program, by way of clingo's grounder.

`true` and `does` become choice atoms fed by `init`, `next` and `legal`: everything reachable in the
relaxation is grounded, and atoms that always hold vanish from the bodies.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gdl.grounding import native
from gdl.grounding.codes import KEYWORDS, Codes, clingo_lines
from gdl.grounding.engine import Grounding, run
from gdl.grounding.rules import GUARD, Rule, relation, text
from gdl.grounding.spelling import Atoms, Texts, spell, spell_terms, take_apart
from gdl.groundrules import GroundRules
from gdl.laws.keywords import goal_value
from gdl.program import Base, Goal, GroundProgram, Input, Sees
from gdl.terms import Symbol


def ground(rules: Sequence[Rule]) -> GroundProgram:
    """Ground a rulesheet; raises GroundingError when clingo refuses it."""
    codes = Codes()
    return _assemble(rules, run(rules, clingo_lines(rules, codes)), codes)


def _roles(rules: Sequence[Rule], found: set[str]) -> tuple[str, ...]:
    """Role facts in the order of the text, then roles that come from rules."""
    stated = [text(rule.head[1]) for rule in rules if relation(rule.head) == ("role", 1) and not rule.body]
    return tuple(dict.fromkeys([r for r in stated if r in found] + sorted(found)))


def _assemble(rules: Sequence[Rule], grounding: Grounding, codes: Codes) -> GroundProgram:
    """Sort the atoms by keyword and keep the rules that some output needs."""
    atoms = take_apart(grounding.symbols)
    texts = spell_terms(atoms.symbols, list(codes.constants), list(codes.functors))
    found: dict[str, dict[tuple[str, ...], int]] = {}
    for name, arity in KEYWORDS:
        rows = atoms.rows(name)
        columns = [texts[atoms.starts[rows] + position].tolist() for position in range(arity)]
        keys = zip(*columns, strict=True) if arity else [()] * len(rows)
        found[name] = dict(zip(keys, grounding.literals[rows].tolist(), strict=True))
    roles = _roles(rules, {key[0] for key in found["role"]})
    numbers = {role: i for i, role in enumerate(roles)}
    legal, then = found["legal"], found["next"]
    inputs = sorted(
        (numbers[key[0]], key[1], atom, legal.get(key, 0)) for key, atom in found["does"].items() if key[0] in numbers
    )
    bases = sorted((key[0], atom, then.get(key, 0)) for key, atom in found["true"].items())
    goals = sorted(
        (numbers[key[0]], value, atom)
        for key, atom in found["goal"].items()
        if key[0] in numbers and (value := goal_value(Symbol(key[1]))) is not None
    )
    sees = sorted((numbers[key[0]], key[1], atom) for key, atom in found["sees"].items() if key[0] in numbers)
    terminal = found["terminal"].get((), 0)
    leaves = [atom for _, atom, _ in bases] + [atom for _, _, atom, _ in inputs]
    wanted = [atom for _, _, atom in bases] + [atom for _, _, _, atom in inputs] + [terminal]
    wanted += [atom for _, _, atom in goals] + [atom for _, _, atom in sees]
    kept, new, old = _relevant(grounding, atoms, codes, leaves, [atom for atom in wanted if atom])
    return GroundProgram(
        names=_names(old, grounding, atoms, texts, codes),
        rules=kept,
        roles=roles,
        bases=tuple([Base(fluent, new[now], new[later]) for fluent, now, later in bases]),
        initial=frozenset(i for i, base in enumerate(bases) if (base[0],) in found["init"]),
        inputs=tuple([Input(role, move, new[does], new[legal]) for role, move, does, legal in inputs]),
        terminal=new[terminal],
        goals=tuple([Goal(role, value, new[atom]) for role, value, atom in goals]),
        sees=tuple([Sees(role, percept, new[atom]) for role, percept, atom in sees]),
    )


def _relevant(
    grounding: Grounding, atoms: Atoms, codes: Codes, leaves: list[int], wanted: list[int]
) -> tuple[GroundRules, list[int], npt.NDArray[np.int32]]:
    """Rules the wanted atoms depend on, without repetitions; new atom numbers (leaves first); the old ones of these."""
    guards = [f"r{code}" for key, code in codes.relations.items() if key[0].startswith(GUARD)]
    ignored = [atom for name in guards for atom in grounding.literals[atoms.rows(name)].tolist()]
    given = [np.array(numbers, dtype=np.int64) for numbers in (ignored, leaves, wanted)]
    arrays = native.relevant(grounding.tape, *given)
    heads, starts, literals = [array("i", column.tobytes()) for column in arrays[:3]]
    return GroundRules(heads, starts, literals), arrays[3].tolist(), arrays[4]


def _names(old: npt.NDArray[np.int32], grounding: Grounding, atoms: Atoms, texts: Texts, codes: Codes) -> tuple[str, ...]:
    """KIF text of the atoms that are kept; those that clingo made have a number for a name."""
    row_of = np.full(int(max(old.max(), grounding.literals.max(initial=0))) + 1, -1)
    row_of[grounding.literals] = np.arange(len(grounding.literals))
    rows = row_of[old]
    relations = [name for name, _ in codes.relations]
    names: Texts = np.empty(len(old), dtype=object)
    which = np.where(rows >= 0, atoms.which[rows], -1)
    unknown = np.flatnonzero(which < 0)
    names[unknown] = [f"#{atom}" for atom in old[unknown].tolist()]
    for number, name in enumerate(atoms.names):
        places = np.flatnonzero(which == number)
        full = relations[int(name[1:])] if name[0] == "r" and name[1:].isdigit() else name
        names[places] = spell(full, rows[places], atoms.starts, texts)
    return ("", *names[1:].tolist())
