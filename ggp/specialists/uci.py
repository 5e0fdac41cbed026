"""UCI: the universal chess interface (R. Huber and S. Meyer-Kahlen, 2006), as a client speaks it.

A program does not answer each line. It is asked for its options once, told which shall be different, and for each move
told all moves from the first position on.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from ggp.core.errors import UsageError
from ggp.core.suggest import unknown
from ggp.specialists.client import Answer, Told, Wanted
from ggp.specialists.pipe import Pipe

_OPTION = re.compile(r"option name (?P<name>.+?) type (?P<type>\w+)(?P<rest>.*)")
_SCORE = re.compile(r"\bscore (cp|mate) (-?\d+)")
_COUNT = re.compile(r"\b(depth|nodes) (\d+)")
_LAST_WORD = 0.1
"""Seconds of the time for an answer that are left for the answer to arrive."""
_HALF = 0.5
"""The part of a short time that is left."""


@dataclass(frozen=True)
class Option:
    """An option as the program declares it."""

    kind: str
    values: tuple[str, ...]
    """Those of a combination box, and of a check mark."""
    least: float = -inf
    most: float = inf

    def accepts(self, value: str) -> bool:
        """Whether it can have a value."""
        if self.kind == "spin":
            return re.fullmatch(r"-?\d+", value) is not None and self.least <= int(value) <= self.most
        return not self.values or value in self.values

    def text(self) -> str:
        """What it can be, in words."""
        return f"{self.least:g} to {self.most:g}" if self.kind == "spin" else " or ".join(self.values)


class Uci:
    """A program with options."""

    def __init__(self, pipe: Pipe, options: Mapping[str, str], deadline: float) -> None:
        self._pipe = pipe
        self.title = pipe.name
        pipe.send("uci")
        known = dict(self._introduced(deadline))
        for name, value in options.items():
            self._set(known, name, value)
        pipe.send("ucinewgame")
        self._synchronise(deadline)

    def choose(self, moves: Sequence[Told], colour: str, wanted: Wanted) -> Answer:  # noqa: ARG002 (the moves say it)
        """The move after these moves, which the colours made in turn."""
        self._synchronise(wanted.deadline)
        line = " ".join(move for _, move in moves)
        self._pipe.send(f"position startpos moves {line}" if moves else "position startpos")
        now = time.monotonic()
        kept = min(_LAST_WORD, _HALF * (wanted.deadline - now))
        seconds = min(wanted.deadline - now - kept, wanted.seconds or inf)
        limits = "".join(f" {name} {value}" for name, value in wanted.limits.items())
        self._pipe.send(f"go movetime {max(1, int(1000 * seconds))}{limits}")
        report: dict[str, object] = {}
        while True:
            first, *rest = self._pipe.line(wanted.deadline, wanted.stop).split() or [""]
            if first == "bestmove" and rest:
                return Answer(rest[0], report)
            if first == "info" and "string" not in rest[:1]:
                report.update(_told(" ".join(rest)))

    def close(self) -> None:
        """End the program: it reads that nothing more will come."""
        self._pipe.close()

    def _introduced(self, deadline: float) -> Iterator[tuple[str, Option]]:
        """The options that the program declares, and its name."""
        while (line := self._pipe.line(deadline).strip()) != "uciok":
            if line.startswith("id name "):
                self.title = line.removeprefix("id name ")
            elif found := _OPTION.fullmatch(line):
                rest = found["rest"]
                least, most = (re.search(rf" {word} (-?\d+)", rest) for word in ("min", "max"))
                values = re.findall(r" var (.+?)(?= var |$)", rest) if found["type"] != "check" else ["true", "false"]
                bounds = [sign * inf if bound is None else int(bound[1]) for sign, bound in ((-1, least), (1, most))]
                yield found["name"], Option(found["type"], tuple(values), *bounds)

    def _set(self, known: Mapping[str, Option], name: str, value: str) -> None:
        full = next((each for each in known if each.lower() == name.lower()), None)
        if full is None:
            raise UsageError(f"{self._pipe.name}: {unknown('option', name, known)}")
        if not known[full].accepts(value):
            raise UsageError(f"{self._pipe.name}: {full} cannot be {value}, but {known[full].text()}")
        self._pipe.send(f"setoption name {full} value {value}")

    def _synchronise(self, deadline: float) -> None:
        self._pipe.send("isready")
        while self._pipe.line(deadline).strip() != "readyok":
            pass


def _told(info: str) -> Iterator[tuple[str, object]]:
    """What a line of information says of depth, nodes and value."""
    for name, value in _COUNT.findall(info):
        yield name, int(value)
    if found := _SCORE.search(info):
        yield ("centipawns" if found[1] == "cp" else "mate"), int(found[2])
