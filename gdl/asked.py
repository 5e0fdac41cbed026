"""Questions about the positions of a game, as rules of the same game by which a role is told the answers.

A question is a formula as it stands in the body of a rule, and asks where it fails, as
`(not (and terminal (true (turns 0))))`. Its answers are the values of its variables for which it does. Grounding drops
what no keyword relation needs, and folds up what always holds: to be told is to be needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gdl.check import check
from gdl.errors import DescriptionError
from gdl.laws.possible import problems_without_play
from gdl.normalize import bound_by, normalize
from gdl.parser import parse, parse_formula
from gdl.problems import Law, Problem, in_order
from gdl.rules import Formula, Not, Rule, formula_variables, parts, relation
from gdl.ruleset import Ruleset
from gdl.source import Source
from gdl.terms import Compound, Symbol, Variable

_MEANINGLESS = frozenset({Law.DEFINED_AND_USED, Law.CAN_HOLD, Law.ROLE_ARGUMENTS, Law.KEYWORD_NAMES})
"""Breaches of which the rules of a game are only warned, as servers play it; a question with one asks for nothing."""
_ONLY_HEADS = frozenset({"init", "next", "base", "input", "sees"})


@dataclass(frozen=True)
class Question:
    """A formula, where it was read, and its variables in the order of the text."""

    source: Source
    formula: Formula
    variables: tuple[Variable, ...]

    @classmethod
    def read(cls, source: Source) -> Question:
        """Read a question; DescriptionError if it is none."""
        formula = parse_formula(source)
        return cls(source, formula, tuple(dict.fromkeys(formula_variables(formula))))

    @property
    def needs_moves(self) -> bool:
        """Whether it asks for what is done, and not of the position alone."""
        return any(isinstance(part, Compound) and part.name == "does" for part, _ in parts(self.formula))


@dataclass(frozen=True)
class Asked:
    """A game with rules by which its first role is told the answers to some questions."""

    ruleset: Ruleset
    percept: str
    """What answers begin with: `(PERCEPT 0 a b)` is told where the formula of question 0 fails for a and b."""


def asked(ruleset: Ruleset, questions: Sequence[Question]) -> Asked:
    """The game with the questions where each formula fails; DescriptionError for one without a meaning in this game."""
    for question in questions:
        _check_bindings(question)
    told = telling(ruleset, [("not", question.variables, question.source.text) for question in questions])
    whole = check(parse(told.source))
    if found := _problems(whole, questions, told.starts):
        raise DescriptionError(found)
    return Asked(whole, told.percept)


@dataclass(frozen=True)
class Told:
    """The text of a game in which a role is told answers, what these begin with, and where each question begins in it."""

    source: Source
    percept: str
    starts: tuple[int, ...]


def telling(ruleset: Ruleset, questions: Sequence[tuple[str, Sequence[Variable], str]]) -> Told:
    """The text for questions: a connective of one formula, the variables to be told, and the formula, unchecked."""
    percept = "asked"
    while percept in ruleset.description.words:
        percept += "x"
    text, starts = f"{ruleset.source.text}\n", []
    for number, (connective, variables, formula) in enumerate(questions):
        answer = " ".join((percept, str(number), *map(str, variables)))
        text += f"(<= (sees {ruleset.roles[0]} ({answer})) ({connective} "
        starts.append(len(text))
        text += f"{formula}\n))\n"  # the line may end with a comment
    return Told(Source(text, ruleset.source.name, ruleset.source.encoding), percept, tuple(starts))


def _check_bindings(question: Question) -> None:
    """Complain of variables for which there would be no values to try."""
    formula = Not(question.formula)
    loose = set(question.variables) - bound_by(normalize(Rule(Symbol("asked"), (formula,))).body)
    found = [
        Problem(
            Law.SAFETY, True,
            f"nothing says for which {variable} this is meant: no negated condition has it; "
            f"as in (or (not (SOMETHING {variable})) …)",
            question.source, variable.at,
        )
        for variable in question.variables
        if variable in loose
    ]  # fmt: skip
    if found:
        raise DescriptionError(in_order(found))


def _problems(whole: Ruleset, questions: Sequence[Question], starts: Sequence[int]) -> tuple[Problem, ...]:
    """What is wrong with questions, at its place in each."""
    found: list[Problem] = []
    problems = problems_without_play(whole)
    for question, start in zip(questions, starts, strict=True):
        source = question.source
        found += [
            replace(problem, is_error=True, source=source, at=problem.at - start)
            for problem in problems
            if start <= problem.at < start + len(source.text) and (problem.is_error or problem.law in _MEANINGLESS)
        ]
        for part, _ in parts(question.formula):
            if isinstance(part, Symbol | Compound) and relation(part)[0] in _ONLY_HEADS:
                message = f"{part.name} is for heads of rules: ask of true, does, legal, goal, terminal or the game's own"
                found.append(Problem(Law.FORBIDDEN_BODIES, True, message, source, part.at))
    return in_order(found)
