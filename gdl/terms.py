"""Terms: the s-expressions that GDL is written in.

A term is a `Symbol`, a `Variable` or a `Compound` of terms. Terms are frozen and compared by value; where they stand in
their source (`at`, an offset into the text, -1 for terms made by the program) takes no part in the comparison.

Terms may be nested many thousands deep, so nothing here recurses on depth.

>>> print(Compound("cell", (Symbol("1"), Variable("?x"))))
(cell 1 ?x)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, cast

MALFORMED = ""
"""The name given to a list that does not begin with a name."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name or a number, folded to lower case: `white`, `10`, `++`."""

    name: str
    at: int = field(default=-1, compare=False, repr=False)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable with its question mark, folded to lower case: `?x`."""

    name: str
    at: int = field(default=-1, compare=False, repr=False)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, eq=False)
class Compound:
    """A name applied to arguments: `(cell 1 1 b)`. The hash is kept, so that hashing never walks the term."""

    name: str
    arguments: tuple[Term, ...]
    at: int = field(default=-1, repr=False)
    _hash: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.name, self.arguments)))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[Compound], tuple[str, tuple[Term, ...], int]]:
        """Hashes of names differ from process to process: another one makes the term anew."""
        return Compound, (self.name, self.arguments, self.at)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Compound):
            return NotImplemented
        return _equal(self, other)

    def __str__(self) -> str:
        return kif(self)


Term: TypeAlias = Symbol | Variable | Compound
Atom: TypeAlias = Symbol | Compound
"""A relation applied to its arguments; a relation without arguments is a plain symbol."""


def _equal(first: Compound, second: Compound) -> bool:
    pairs: list[tuple[Term, Term]] = [(first, second)]
    while pairs:
        a, b = pairs.pop()
        if a is b:
            continue
        if isinstance(a, Compound):
            if not isinstance(b, Compound) or a._hash != b._hash or a.name != b.name:
                return False
            if len(a.arguments) != len(b.arguments):
                return False
            pairs.extend(zip(a.arguments, b.arguments, strict=True))
        elif a != b:
            return False
    return True


def arguments(atom: Term) -> tuple[Term, ...]:
    """The arguments of a compound; none for a symbol or a variable."""
    return atom.arguments if isinstance(atom, Compound) else ()


def kif(term: Term) -> str:
    """The canonical text of a term: single spaces, lower case.

    >>> kif(Compound("mark", (Symbol("1"), Symbol("2"))))
    '(mark 1 2)'
    """
    if not isinstance(term, Compound):
        return term.name
    parts: list[str] = []
    stack: list[Term | str] = [term]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
        elif isinstance(item, Compound):
            parts.append(f"({item.name}")
            stack.append(")")
            for argument in reversed(item.arguments):
                stack.append(argument)
                stack.append(" ")
        else:
            parts.append(item.name)
    return "".join(parts)


def walk(term: Term) -> Iterator[Term]:
    """Every part of a term, itself first, in the order of the text."""
    if not isinstance(term, Compound):
        yield term
        return
    stack: list[Term] = [term]
    while stack:
        item = stack.pop()
        yield item
        if isinstance(item, Compound):
            stack.extend(reversed(item.arguments))


def variables(term: Term) -> Iterator[Variable]:
    """The variables of a term in the order of the text, repeated as they are repeated there."""
    return (part for part in walk(term) if isinstance(part, Variable))


def is_ground(term: Term) -> bool:
    """True if no variable occurs in the term."""
    return not any(True for _ in variables(term))


def rebuild(
    term: Term,
    leaf: Callable[[Symbol | Variable], Term],
    compound: Callable[[str, tuple[Term, ...], int], Term] | None = None,
) -> Term:
    """The term made anew, bottom up: `leaf` makes each symbol and variable, `compound` each compound."""
    if not isinstance(term, Compound):
        return leaf(term)
    make = compound or Compound
    done: list[Term] = []
    stack: list[tuple[Term, bool]] = [(term, False)]
    while stack:
        item, ready = stack.pop()
        if not isinstance(item, Compound):
            done.append(leaf(item))
        elif ready:
            first = len(done) - len(item.arguments)
            made = make(item.name, tuple(done[first:]), item.at)
            del done[first:]
            done.append(made)
        else:
            stack.append((item, True))
            stack.extend((argument, False) for argument in reversed(item.arguments))
    return done[0]


Bindings: TypeAlias = Mapping[Variable, Term]


def substitute(term: Term, bindings: Bindings) -> Term:
    """The term with bound variables replaced, once (bindings are not followed)."""
    if not bindings:
        return term
    return rebuild(term, lambda part: bindings.get(part, part) if isinstance(part, Variable) else part)


def substitute_atom(atom: Atom, bindings: Bindings) -> Atom:
    """`substitute` for an atom, which stays an atom."""
    return cast("Atom", substitute(atom, bindings))


def unify(first: Term, second: Term) -> dict[Variable, Term] | None:
    """The most general bindings that make both terms equal, or None. Bindings are fully resolved.

    >>> unify(Compound("f", (Variable("?x"),)), Compound("f", (Symbol("a"),)))
    {Variable(name='?x'): Symbol(name='a')}
    """
    bound: dict[Variable, Term] = {}

    def resolve(term: Term) -> Term:
        while isinstance(term, Variable) and term in bound:
            term = bound[term]
        return term

    pairs = [(first, second)]
    while pairs:
        a, b = pairs.pop()
        a, b = resolve(a), resolve(b)
        if a == b:
            continue
        if isinstance(a, Variable):
            if any(resolve(v) == a for v in variables(b)):
                return None
            bound[a] = b
        elif isinstance(b, Variable):
            pairs.append((b, a))
        elif isinstance(a, Compound) and isinstance(b, Compound):
            if a.name != b.name or len(a.arguments) != len(b.arguments):
                return None
            pairs.extend(zip(a.arguments, b.arguments, strict=True))
        else:
            return None
    return _closed(bound)


def _closed(bound: dict[Variable, Term]) -> dict[Variable, Term] | None:
    """Follow bindings into their own terms until none is left; None if one runs in a circle."""
    for _ in range(len(bound) + 1):
        again = {v: t for v, t in bound.items() if any(x in bound for x in variables(t))}
        if not again:
            return bound
        bound = {**bound, **{v: substitute(t, bound) for v, t in again.items()}}
    return None
