"""Expressions to rules.

The loader is generous: what real servers play is understood, with a warning that names the law. What has no meaning is an
error, and its rule is left out, so that all problems of a text are found in one go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from gdl.errors import DescriptionError
from gdl.garbage import paused
from gdl.problems import Law, Problem, Reporter
from gdl.reader import read
from gdl.rules import And, Distinct, Formula, Not, Or, Rule
from gdl.source import Source
from gdl.terms import MALFORMED, Atom, Compound, Symbol, Term, Variable, is_ground, rebuild, variables, walk

CONNECTIVES = ("<=", "not", "or", "and", "distinct")
"""Words of the syntax itself; anything else may name a relation."""

_MAX_FORMULA_DEPTH = 100


@dataclass(frozen=True)
class Description:
    """A text as rules, with the spelling of its names and the problems of its syntax."""

    source: Source
    rules: tuple[Rule, ...]
    words: dict[str, int]
    """Every name as it is spelled, with the offset of its first occurrence."""
    problems: tuple[Problem, ...]


def parse(source: Source | str) -> Description:
    """Parse a text. Never raises for what the text says: look at `problems`."""
    if isinstance(source, str):
        source = Source(source)
    reporter = Reporter(source, [])
    if source.encoding != "utf-8":
        reporter.warn(Law.CHARACTERS, -1, f"the text is not UTF-8; it was read as {source.encoding}")
    with paused():  # a million terms are made and none dies, and looking for dead ones takes a third
        expressions = read(source, reporter)
        if expressions is None:
            return Description(source, (), {}, tuple(reporter.found))
        builder = _RuleBuilder(reporter)
        rules = tuple(rule for term in expressions.terms if (rule := builder.rule(term)) is not None)
    return Description(source, rules, expressions.words, tuple(reporter.found))


def parse_term(text: str) -> Term:
    """Parse a single term, as in a move or a fluent; ValueError if the text is something else.

    >>> print(parse_term("(mark 1  1)"))
    (mark 1 1)
    """
    reporter = Reporter(Source(text), [])
    expressions = read(reporter.source, reporter)
    if expressions is None or len(expressions.terms) != 1:
        raise ValueError(f"not a single term: {text[:80]!r}")
    term = _RuleBuilder(reporter).term(expressions.terms[0])
    if term is None or any(p.is_error for p in reporter.found):
        raise ValueError(f"not a term: {text[:80]!r}")
    return term


def parse_formula(source: Source) -> Formula:
    """Parse a single formula, as in the body of a rule; DescriptionError if the text is something else."""
    reporter = Reporter(source, [])
    expressions = read(source, reporter)
    found: Formula | None = None
    if expressions is not None:
        if len(expressions.terms) != 1:
            at = expressions.terms[1].at if expressions.terms else len(source.text)
            count = "there is none" if not expressions.terms else "a second one begins here"
            reporter.error(Law.SYNTAX, at, f"one formula is wanted, and {count}")
        else:
            found = _RuleBuilder(reporter).formula(expressions.terms[0])
    if found is None or any(problem.is_error for problem in reporter.found):
        raise DescriptionError(tuple(reporter.found))
    return found


class _RuleBuilder:
    """Turns expressions into rules and reports what is wrong with them."""

    def __init__(self, reporter: Reporter) -> None:
        self.reporter = reporter
        self.bare_names_reported: set[str] = set()

    def rule(self, term: Term) -> Rule | None:
        """A top-level expression as a rule; None if it is none."""
        if not (isinstance(term, Compound) and term.name == "<="):
            return self.fact(term)
        if not term.arguments:
            self.reporter.error(Law.SYNTAX, term.at, "this rule has no head")
            return None
        head = self.atom(term.arguments[0], "the head of a rule")
        body = tuple(self.formula(part) for part in term.arguments[1:])
        if head is None or None in body:
            return None
        if not body:
            self.reporter.warn(Law.FORMULAS, term.at, "this rule has no body; it is read as the fact alone")
            self.warn_of_variables(head)
        return Rule(head, cast("tuple[Formula, ...]", body), term.at)

    def fact(self, term: Term) -> Rule | None:
        """An expression that is no rule: a fact."""
        head = self.atom(term, "a fact")
        if head is None:
            return None
        self.warn_of_variables(head)
        return Rule(head, (), head.at)

    def warn_of_variables(self, head: Atom) -> None:
        """A fact with variables holds for all terms; engines differ on it."""
        first = next(variables(head), None)
        if first is not None:
            message = f"variable {first} in a fact: it is read as holding for every term"
            self.reporter.warn(Law.VARIABLES_IN_RULES, first.at, message)

    def atom(self, term: Term, what: str) -> Atom | None:
        """A term in the place of an atom."""
        if isinstance(term, Variable):
            self.reporter.error(Law.SYNTAX, term.at, f"{what} cannot be a variable")
            return None
        if term.name in CONNECTIVES:
            self.reporter.error(Law.SYNTAX, term.at, f"{what} cannot be a '{term.name}'")
            return None
        tidy = self.term(term)
        return None if tidy is None else cast("Atom", tidy)

    def term(self, term: Term) -> Term | None:
        """A term with its empty parentheses dropped; None if a part of it has no meaning."""
        if not isinstance(term, Compound) or _is_simple(term):
            return term
        sound, bare = True, False
        for part in walk(term):
            if isinstance(part, Compound):
                if part.name == MALFORMED:
                    self.report_malformed(part)
                    sound = False
                elif not part.arguments:
                    self.report_bare_name(part)
                    bare = True
        if not sound:
            return None
        return _without_empty_parentheses(term) if bare else term

    def report_malformed(self, part: Compound) -> None:
        """A list that does not begin with a name."""
        if not part.arguments:
            self.reporter.error(Law.SYNTAX, part.at, "an empty list has no meaning")
        else:
            first = part.arguments[0]
            kind = "the variable " + first.name if isinstance(first, Variable) else "a list"
            self.reporter.error(Law.SYNTAX, first.at, f"a list begins with a name, this one with {kind}")

    def report_bare_name(self, part: Compound) -> None:
        """`(terminal)`: reported once for each name."""
        if part.name not in self.bare_names_reported:
            self.bare_names_reported.add(part.name)
            self.reporter.warn(
                Law.BARE_NAMES,
                part.at,
                f"({part.name}) has no arguments; it is read as {part.name} without parentheses",
            )

    def formula(self, term: Term, depth: int = 0) -> Formula | None:
        """A term in a body as a formula; None if it has no meaning."""
        if depth > _MAX_FORMULA_DEPTH:
            self.reporter.error(Law.FORMULAS, term.at, f"formulas are nested more than {_MAX_FORMULA_DEPTH} deep")
            return None
        if isinstance(term, Compound):
            if term.name == "not":
                return self.negation(term, depth)
            if term.name in ("or", "and"):
                return self.junction(term, depth)
            if term.name == "distinct":
                return self.distinct(term)
        return self.atom(term, "a condition")

    def negation(self, term: Compound, depth: int) -> Formula | None:
        """`(not atom)`; other formulas inside are understood, with a warning."""
        if len(term.arguments) != 1:
            self.reporter.error(Law.FORMULAS, term.at, f"not takes one formula, this one has {len(term.arguments)}")
            return None
        inner = self.formula(term.arguments[0], depth + 1)
        if inner is None:
            return None
        if not isinstance(inner, Symbol | Compound):
            self.reporter.warn(
                Law.FORMULAS, term.at, "not before something that is no atom; the negation is moved inward"
            )
        return Not(inner, term.at)

    def junction(self, term: Compound, depth: int) -> Formula | None:
        """`(or …)` or `(and …)`."""
        inner = tuple(self.formula(part, depth + 1) for part in term.arguments)
        if None in inner:
            return None
        parts = cast("tuple[Formula, ...]", inner)
        if term.name == "and":
            return And(parts, term.at)
        if not parts:
            self.reporter.error(Law.FORMULAS, term.at, "an empty or holds never; give it a branch")
            return None
        return Or(parts, term.at)

    def distinct(self, term: Compound) -> Formula | None:
        """`(distinct a b)`."""
        if len(term.arguments) != 2:
            self.reporter.error(
                Law.KEYWORD_ARITY, term.at, f"distinct takes 2 arguments, this one has {len(term.arguments)}"
            )
            return None
        left, right = (self.term(argument) for argument in term.arguments)
        if left is None or right is None:
            return None
        if is_ground(left) and is_ground(right) and left == right:
            self.reporter.warn(Law.FORMULAS, term.at, "this distinct compares a term with itself: the rule never applies")
        return Distinct(left, right, term.at)


def _is_simple(term: Compound) -> bool:
    """True for a list of names and variables behind a name: nothing to tidy, and most of a large description."""
    return term.name != MALFORMED and bool(term.arguments) and not any(type(a) is Compound for a in term.arguments)


def _without_empty_parentheses(term: Compound) -> Term:
    return rebuild(term, lambda leaf: leaf, lambda name, args, at: Compound(name, args, at) if args else Symbol(name, at))
