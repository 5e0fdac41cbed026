"""Resolution: goals proved from the top down, where rules that build terms cannot be listed from the bottom up.

For the few questions that are asked about a ruleset while it is made ready. What is found holds. Goals without variables
are asked once each and remembered. Where the search is long or deep, or a negation has variables, it is given up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdl.grounding.rules import Literal, Rule, Term, is_variable, relation, renamed, variables

_MOST_STEPS = 50_000
"""Rules tried."""
_DEEPEST = 120
"""Calls within calls."""


class UnprovedError(Exception):
    """Given up: whether the goals hold is not known."""


class Prover:
    """Answers for one ruleset."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules: dict[tuple[str, int], list[Rule]] = {}
        for rule in rules:
            self.rules.setdefault(relation(rule.head), []).append(rule)
        self.known: dict[Term, bool] = {}
        self.bound: dict[str, Term] = {}
        self.steps = 0

    def answer(self, goals: Sequence[Literal], term: Term) -> Term | None:
        """The term as the first proof of the goals has it; None if there is no proof."""
        self.bound = {}
        try:
            for _ in self._prove(tuple(goals), 0):
                return self._resolved(term)
        except RecursionError as error:
            raise UnprovedError from error
        return None

    def _prove(self, goals: tuple[Literal, ...], depth: int) -> Iterator[None]:
        """Once for each proof, while the variables have its values."""
        if depth > _DEEPEST:
            raise UnprovedError
        for goal in goals:
            atom = self._resolved(goal.atom)
            if any(variables(atom)):
                break
            if self._holds(atom, depth) != goal.positive:
                return
        else:
            yield
            return
        if not goal.binds:
            raise UnprovedError
        for rule in self.rules.get(relation(atom), ()):
            self.steps += 1
            if self.steps > _MOST_STEPS:
                raise UnprovedError
            before = dict(self.bound)
            fresh = renamed(rule, str(self.steps))
            if self._unify(atom, fresh.head):
                for _ in self._prove(fresh.body, depth + 1):
                    yield from self._prove(goals[goals.index(goal) + 1 :], depth + 1)
            self.bound = before

    def _holds(self, atom: Term, depth: int) -> bool:
        """An atom without variables."""
        if isinstance(atom, tuple) and atom[0] == "distinct":
            return atom[1] != atom[2]
        known = self.known.get(atom)
        if known is None:
            before, self.bound = self.bound, {}
            rules = self.rules.get(relation(atom), ())
            known = self.known[atom] = any(self._proves(atom, rule, depth) for rule in rules)
            self.bound = before
        return known

    def _proves(self, atom: Term, rule: Rule, depth: int) -> bool:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise UnprovedError
        self.bound = {}
        if not self._unify(rule.head, atom):
            return False
        return any(True for _ in self._prove(rule.body, depth + 1))

    def _walked(self, term: Term) -> Term:
        while isinstance(term, str) and term in self.bound:
            term = self.bound[term]
        return term

    def _resolved(self, term: Term) -> Term:
        """The term with the values of its variables, and with those of theirs."""
        term = self._walked(term)
        return term if isinstance(term, str) else (term[0], *[self._resolved(x) for x in term[1:]])

    def _unify(self, one: Term, other: Term) -> bool:
        """Give values to variables so that the terms are the same; what is bound by a failure is not taken back."""
        work = [(one, other)]
        while work:
            x, y = work.pop()
            x, y = self._walked(x), self._walked(y)
            if x == y:
                continue
            if not is_variable(x):
                x, y = y, x
            if is_variable(x):
                assert isinstance(x, str)
                if x in set(variables(self._resolved(y))):
                    return False
                self.bound[x] = y
            elif isinstance(x, str) or isinstance(y, str) or relation(x) != relation(y):
                return False
            else:
                work += zip(x[1:], y[1:], strict=True)
        return True
