"""The laws of the language, and problems: breaches of them, each with its place and a caret."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from gdl.source import Place, Source


class Law(Enum):
    """What `check` knows. The numbers are stable: they stand in messages, tests and the documentation."""

    def __init__(self, number: int, title: str) -> None:
        self.number = number
        self.title = title

    SYNTAX = 1, "parentheses balance, and every list begins with a name"
    ESSENTIALS = 2, "role, legal, goal and terminal are all present"
    KEYWORD_ARITY = 3, "keywords have their number of arguments"
    ONE_ARITY = 4, "a relation or function has one number of arguments"
    SAFETY = 5, "every variable of a head, a distinct or a negated literal occurs in a positive literal of the body"
    STRATIFICATION = 6, "no relation depends on its own negation"
    RECURSION = 7, "recursion binds its arguments (it terminates)"
    FORMULAS = 8, "not stands before an atom; no or and no body is empty"
    VARIABLES_IN_RULES = 9, "variables stand only inside rules"
    FORBIDDEN_HEADS = 10, "role, true and does never head a rule; true and does are never facts"
    FORBIDDEN_BODIES = 11, "init, next, base and input never stand in bodies"
    STATIC_RELATIONS = 12, "init, base and input do not depend on true or does"
    NO_DOES = 13, "legal, terminal and goal do not depend on does"
    KEYWORD_NAMES = 14, "keywords are no functions or constants"
    RELATION_OR_FUNCTION = 15, "a name is a relation or a function, not both"
    DEFINED_AND_USED = 16, "relations that are used are defined, and the other way round"
    CASE = 17, "no two symbols differ by case alone"
    CHARACTERS = 18, "names are made of usual characters"
    ROLE_ARGUMENTS = 19, "the first argument of legal, does, goal, input and sees is a role"
    GOAL_VALUES = 20, "goals are integers from 0 to 100, exactly one for each role in every terminal state"
    LEGAL_MOVES = 21, "every role has a legal move in every state that is not terminal"
    TERMINATION = 22, "playouts end"
    BASE_AND_INPUT = 23, "base and input, where given, cover all that play shows"
    BARE_NAMES = 24, "a relation or term without arguments stands without parentheses"
    CAN_HOLD = 25, "every condition can hold: some rule or fact gives what it asks for"


@dataclass(frozen=True)
class Problem:
    """A breach of a law: an error where the description has no meaning, a warning where real servers would play it."""

    law: Law
    is_error: bool
    message: str
    source: Source
    at: int
    """Offset into the source, -1 for a problem of the description as a whole."""

    @property
    def severity(self) -> str:
        """`error` or `warning`."""
        return "error" if self.is_error else "warning"

    @property
    def place(self) -> Place:
        """Where it is; the first line for a problem of the whole."""
        return self.source.place(self.at)

    def render(self) -> str:
        """The message as a compiler would print it: place, severity, message, law, and the line with a caret."""
        head = f"{self.severity}: {self.message} [law {self.law.number}]"
        if self.at < 0:
            return f"{self.source.name}: {head}"
        return f"{self.place}: {head}\n{self.source.excerpt(self.at)}"


@dataclass(frozen=True)
class Reporter:
    """Collects the problems of one source."""

    source: Source
    found: list[Problem]

    def error(self, law: Law, at: int, message: str) -> None:
        """Note a breach that leaves the description without a meaning."""
        self.found.append(Problem(law, True, message, self.source, at))

    def warn(self, law: Law, at: int, message: str) -> None:
        """Note a breach that real servers would play."""
        self.found.append(Problem(law, False, message, self.source, at))


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Problems in the order of the text, each once."""
    unique = dict.fromkeys(problems)
    return tuple(sorted(unique, key=lambda p: (p.at, p.law.number, p.message)))
