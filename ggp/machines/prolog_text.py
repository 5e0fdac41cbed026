"""GDL as Prolog text, and Prolog's answers as GDL.

Every GDL name becomes an atom with a leading dot, unusual characters as %-codes of their UTF-8 bytes: no name can meet a
predicate or an operator of Prolog, and nothing needs quoting that could be quoted wrongly.

>>> atom_text("don't")
"'.don%27t'"
>>> read_answer("[.mark(.1,.don%27t)]")
[Compound(name='mark', arguments=(Symbol(name='1'), Symbol(name="don't")))]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import unquote

from gdl.terms import Compound, Symbol, Term, Variable

Answer: TypeAlias = "Term | int | float | str | list[Answer] | tuple[str, list[Answer]]"
"""A term of the game, a number, a word of the reasoner's own, a list, or a word applied to answers."""

_SAFE = re.compile(r"[a-z0-9_+\-*/<>=!?:&^$@~]*")
_TOKEN = re.compile(r"[^\s(),\[\]|]+|[(),\[\]]")


@lru_cache(maxsize=65536)
def bare_atom(name: str) -> str:
    """The Prolog atom of a GDL name, without quotes."""
    if _SAFE.fullmatch(name):
        return f".{name}"
    return "." + "".join(
        c if _SAFE.fullmatch(c) else "".join(f"%{b:02x}" for b in c.encode("utf-8", "surrogatepass")) for c in name
    )


def atom_text(name: str) -> str:
    """The Prolog atom of a GDL name, quoted for a program or a request."""
    return f"'{bare_atom(name)}'"


def term_text(term: Term, names: Mapping[Variable, str] | None = None) -> str:
    """The Prolog text of a term; `names` gives the variables their names."""
    parts: list[str] = []
    stack: list[Term | str] = [term]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
        elif isinstance(item, Compound):
            parts.append(atom_text(item.name) + "(")
            stack.append(")")
            for i, argument in enumerate(reversed(item.arguments)):
                if i:
                    stack.append(",")
                stack.append(argument)
        elif isinstance(item, Variable):
            parts.append((names or {})[item])
        else:
            parts.append(atom_text(item.name))
    return "".join(parts)


def list_text(items: Iterable[str]) -> str:
    """A Prolog list of texts."""
    return f"[{','.join(items)}]"


def read_answer(text: str) -> Answer:
    """Read an answer of the reasoner: names with a leading dot are the game's, others the reasoner's own words."""
    tokens = _TOKEN.findall(text)
    done: list[list[Answer]] = [[]]
    heads: list[str] = []
    for i, token in enumerate(tokens):
        if token == "[" or token == "(":
            done.append([])
            if token == "[":
                heads.append("[")
        elif token == "]":
            heads.pop()
            items = done.pop()
            done[-1].append(items)
        elif token == ")":
            arguments = done.pop()
            done[-1].append(_applied(heads.pop(), arguments))
        elif token == ",":
            continue
        elif i + 1 < len(tokens) and tokens[i + 1] == "(":
            heads.append(token)
        else:
            done[-1].append(_word(token))
    return done[0][0]


def _applied(head: str, arguments: list[Answer]) -> Answer:
    if head[0] == ".":
        return Compound(unquote(head[1:]), tuple(a for a in arguments if isinstance(a, Symbol | Compound)))
    return head, arguments


def _word(token: str) -> Answer:
    if token[0] == ".":
        return Symbol(unquote(token[1:]))
    if token.lstrip("-").isdigit():
        return int(token)
    try:
        return float(token)
    except ValueError:
        return token
