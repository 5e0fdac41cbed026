"""Rename a description as game servers do before they send it, and name things back afterwards.

Names become made-up words; integers and keywords stay. Servers rename the keywords that came late to the language
(`base`, `input`, `sees`, `random`) as well, because their scramblers do not know them: `late_keywords` does the same.
Rules and literals keep their order unless `permute` is given, which no server does, but which makes a good test.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from gdl.laws.keywords import OPTIONAL, RESERVED
from gdl.rules import And, Distinct, Formula, Not, Or, Rule, body_parts
from gdl.ruleset import CHANCE
from gdl.terms import Atom, Compound, Symbol, Term, Variable, rebuild, walk

_CONSONANTS = (
    "b",
    "br",
    "c",
    "d",
    "dr",
    "f",
    "g",
    "gl",
    "h",
    "j",
    "k",
    "l",
    "m",
    "n",
    "p",
    "pr",
    "r",
    "s",
    "st",
    "t",
    "v",
    "z",
)
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "oo")


@dataclass(frozen=True)
class Scrambled:
    """Renamed rules, and the way back."""

    rules: tuple[Rule, ...]
    renamed: dict[str, str]
    """From each name to its new name."""

    def scramble(self, term: Term) -> Term:
        """A term in the new names."""
        return _rename(term, self.renamed)

    def restore(self, term: Term) -> Term:
        """A term of the renamed game in the old names."""
        return _rename(term, {new: old for old, new in self.renamed.items()})

    @property
    def text(self) -> str:
        """The renamed rules as a description."""
        return "\n".join(map(str, self.rules)) + "\n"


def scramble(rules: Sequence[Rule], seed: int, *, late_keywords: bool = False, permute: bool = False) -> Scrambled:
    """Rename the rules of a game; the same seed gives the same names."""
    generator = random.Random(seed)
    kept = RESERVED - set(OPTIONAL) if late_keywords else RESERVED | {CHANCE}
    names = sorted(name for name in _names(rules) if name not in kept and not _is_integer(name))
    words = _words(generator, taken=set(names) | RESERVED)
    renamed = {name: ("?" if name[0] == "?" else "") + next(words) for name in names}
    made = [_rename_rule(rule, renamed) for rule in rules]
    if permute:
        roles = [rule for rule in made if rule.head.name == "role"]  # their order has a meaning
        others = [rule for rule in made if rule.head.name != "role"]
        generator.shuffle(others)
        made = roles + [Rule(rule.head, tuple(generator.sample(rule.body, len(rule.body)))) for rule in others]
    return Scrambled(tuple(made), renamed)


def _names(rules: Iterable[Rule]) -> set[str]:
    found: set[str] = set()
    for rule in rules:
        terms: list[Term] = [rule.head]
        for part, _ in body_parts(rule):
            terms.extend((part.left, part.right) if isinstance(part, Distinct) else (part,))
        found.update(part.name for term in terms for part in walk(term))
    return found


def _is_integer(name: str) -> bool:
    return name.removeprefix("-").isdigit()


def _words(generator: random.Random, taken: set[str]) -> Iterator[str]:
    """Endless pronounceable words, each once."""
    syllables = 2
    while True:
        for _ in range(200):
            word = "".join(generator.choice(_CONSONANTS) + generator.choice(_VOWELS) for _ in range(syllables))
            if word not in taken and f"?{word}" not in taken:
                taken.add(word)
                yield word
        syllables += 1


def _rename(term: Term, renamed: dict[str, str]) -> Term:
    def leaf(part: Symbol | Variable) -> Term:
        return type(part)(renamed.get(part.name, part.name))

    return rebuild(term, leaf, lambda name, args, _: Compound(renamed.get(name, name), args))


def _rename_rule(rule: Rule, renamed: dict[str, str]) -> Rule:
    return Rule(
        cast("Atom", _rename(rule.head, renamed)), tuple(_rename_formula(formula, renamed) for formula in rule.body)
    )


def _rename_formula(formula: Formula, renamed: dict[str, str]) -> Formula:
    match formula:
        case Not(inner):
            return Not(_rename_formula(inner, renamed))
        case Distinct(left, right):
            return Distinct(_rename(left, renamed), _rename(right, renamed))
        case And(parts):
            return And(tuple(_rename_formula(part, renamed) for part in parts))
        case Or(branches):
            return Or(tuple(_rename_formula(branch, renamed) for branch in branches))
        case _:
            return cast("Atom", _rename(formula, renamed))
