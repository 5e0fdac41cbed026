"""The ground program seen as a network of named nodes: drawn as Graphviz text, and explained.

`explain` answers "why does this hold here?" with the support of an atom: one body that holds, and why each literal of it
does; and "why not?" with what fails in each of its bodies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
        """The atom with a text; None if the rules can never derive it (or always do: see `always`)."""
        return self._numbers.get(text)

    def holds(self, atom: int) -> bool:
        """True if the atom holds in the position."""
        return atom in self._true

    def explain(self, atom: int) -> list[str]:
        """Lines, indented by depth."""
        return list(self._lines(atom, 0, set()))

    def _lines(self, atom: int, depth: int, above: set[int]) -> Iterator[str]:
        holds = atom in self._true
        mark = "holds" if holds else "does not hold"
        name = "  " * depth + self.program.names[atom]
        bodies = self._evaluator.bodies.get(atom, [])
        if atom in self._leaves:
            yield f"{name} {mark}"
        elif atom in above:
            yield f"{name} {mark} (see above)"
        elif depth >= _DEPTH:
            yield f"{name} {mark} …"
        elif holds:
            yield f"{name} holds, because"
            for literal in self._support(atom, bodies, above):
                yield from self._lines(abs(literal), depth + 1, above | {atom})
        else:
            yield f"{name} does not hold" + (", because" if bodies else ": no rule can give it")
            for literal in dict.fromkeys(self._failing(body) for body in bodies[:_BODIES]):
                yield from self._lines(abs(literal), depth + 1, above | {atom})
            if len(bodies) > _BODIES:
                yield "  " * (depth + 1) + f"… and {len(bodies) - _BODIES} more rules fail"

    def _support(self, atom: int, bodies: list[tuple[int, ...]], above: set[int]) -> tuple[int, ...]:
        """A body that holds; one that does not lead back if there is one."""
        good = [body for body in bodies if all((abs(x) in self._true) == (x > 0) for x in body)]
        straight = [body for body in good if not any(abs(x) in above or abs(x) == atom for x in body)]
        return min(straight or good, key=len)

    def _failing(self, body: tuple[int, ...]) -> int:
        """The first literal of a body that does not hold."""
        return next(x for x in body if (abs(x) in self._true) != (x > 0))
