"""The ground program seen as a network of named nodes: drawn as Graphviz text, and explained.

`explain` answers "why does this hold here?" with the support of an atom: one body that holds, and why each literal of it
does; and "why not?" with what fails in each of its bodies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from gdl.program import GroundProgram
from ggp.circuits.evaluate import Evaluator

_DEPTH = 12
"""Levels of an explanation."""
_BODIES = 8
"""Bodies shown for an atom that does not hold."""


def dot(program: GroundProgram) -> str:
    """The propnet as Graphviz text: boxes are atoms, points are conjunctions, dashed edges are negations."""
    lines = ["digraph propnet {", "  rankdir=LR; node [shape=box, fontname=sans, fontsize=10];"]
    wanted = {abs(x) for head, body in program.rules for x in (head, *body)}
    bases = {base.true for base in program.bases}
    inputs = {pair.does for pair in program.inputs}
    for atom in sorted(wanted):
        colour = "#cfe8ff" if atom in bases else "#ffd9b3" if atom in inputs else "#ffffff"
        name = program.names[atom].replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'  a{atom} [label="{name}", style=filled, fillcolor="{colour}"];')
    for number, (head, body) in enumerate(program.rules):
        if len(body) == 1:
            lines.append(f"  a{abs(body[0])} -> a{head}{_style(body[0])};")
            continue
        lines.append(f"  r{number} [shape=point];")
        lines.append(f"  r{number} -> a{head};")
        lines.extend(f"  a{abs(x)} -> r{number}{_style(x)};" for x in body)
    return "\n".join([*lines, "}"])


def _style(literal: int) -> str:
    return " [style=dashed]" if literal < 0 else ""


@dataclass(frozen=True)
class Reason:
    """Why an atom holds, or why it does not."""

    atom: str
    holds: bool
    note: str = ""
    """What ends the explanation here; empty for what is so by itself, as what the position says."""
    because: tuple[Reason, ...] = ()
    more: int = 0
    """Rules that fail as well and are not shown."""

    def lines(self, depth: int = 0) -> Iterator[str]:
        """As text, indented by depth."""
        mark = "holds" if self.holds else "does not hold"
        yield f"{'  ' * depth}{self.atom} {mark}{', because' if self.because else self.note}"
        for reason in self.because:
            yield from reason.lines(depth + 1)
        if self.more:
            yield f"{'  ' * (depth + 1)}… and {self.more} more rules fail"

    def data(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "atom": self.atom,
            "holds": self.holds,
            "note": self.note.strip(" :()"),
            "because": [reason.data() for reason in self.because],
            "more": self.more,
        }


class Explainer:
    """Explains one position of one program, with the moves made there, if any."""

    def __init__(self, program: GroundProgram, state: Iterable[int], moves: Iterable[int] = ()) -> None:
        """`state` holds numbers of bases, `moves` numbers of inputs."""
        self.program = program
        self._evaluator = Evaluator(program)
        self._true = self._evaluator.evaluate(state, moves).true
        self._numbers = {name: atom for atom, name in enumerate(program.names) if name}
        self._leaves = {base.true for base in program.bases} | {pair.does for pair in program.inputs}

    def find(self, text: str) -> int | None:
        """The atom with a text; None if the rules for what may be asked of a position do not speak of it."""
        return self._numbers.get(text)

    def holds(self, atom: int) -> bool:
        """True if the atom holds in the position."""
        return atom in self._true

    def explain(self, atom: int, above: frozenset[int] = frozenset()) -> Reason:
        """Why an atom holds, or why not; the atoms `above` are being explained."""
        name, holds = self.program.names[atom], atom in self._true
        bodies = self._evaluator.bodies.get(atom, [])
        if atom in self._leaves:
            return Reason(name, holds)
        if atom in above:
            return Reason(name, holds, " (see above)")
        if len(above) >= _DEPTH:
            return Reason(name, holds, " …")
        literals = self._support(atom, bodies, above) if holds else map(self._failing, bodies[:_BODIES])
        because = tuple(self.explain(abs(x), above | {atom}) for x in dict.fromkeys(literals))
        if holds:
            return Reason(name, holds, " always", because)
        return Reason(name, holds, ": no rule can give it", because, max(0, len(bodies) - _BODIES))

    def _support(self, atom: int, bodies: list[tuple[int, ...]], above: frozenset[int]) -> tuple[int, ...]:
        """A body that holds; one that does not lead back if there is one."""
        good = [body for body in bodies if all((abs(x) in self._true) == (x > 0) for x in body)]
        straight = [body for body in good if not any(abs(x) in above or abs(x) == atom for x in body)]
        return min(straight or good, key=len)

    def _failing(self, body: tuple[int, ...]) -> int:
        """The first literal of a body that does not hold."""
        return next(x for x in body if (abs(x) in self._true) != (x > 0))
