"""Circuit machines kept on disk: the second match of a game starts where the compilation of the first one ended.

A machine is kept under the words of its rules, and found by them. A game server renames the words of a game for every
match; so there is a second way, by the key that does not depend on names (`gdl.canonical`): under it stands where the
machine of the same game is, and what its names are there. A machine found that way has other names in the same circuit.
It gives the answers that a new one would give, but in another order: bases and moves are sorted by the names of those
rules, so that equal random numbers choose other moves.

What is made of a circuit alone (`keep_part`) is kept under the circuit, whatever the names.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import logging
import pickle
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl.canonical import Canonical, canonical, translation
from gdl.garbage import paused
from gdl.grounding import GroundLimits
from gdl.program import Base, Goal, GroundProgram, Input, Sees
from gdl.ruleset import Ruleset
from ggp.core.cache import cache
from ggp.core.progress import Tell, silent
from ggp.lanes.engine import Engine
from ggp.lanes.ways import Way, preferred
from ggp.machines.circuit import CircuitMachine

_LEXEME = re.compile(r";[^\r\n]*|[()]|[^\s();]+")
_LOG = logging.getLogger(__name__)
Rename = Callable[[str], str]


def keep(machine: CircuitMachine) -> None:
    """Keep a machine, with the programs that its engine has made."""
    if not cache().folder:
        return
    try:
        with paused():
            content = pickle.dumps(_Packed.of(machine), protocol=5)
            words = _digest(machine.ruleset)
            game = canonical(machine.ruleset)
    except (MemoryError, RecursionError) as error:
        _LOG.warning("a machine is not kept: %s", type(error).__name__)
        return
    cache().put(_key(words, machine.engine.way), [content])
    names = json.dumps({"words": words, "symbols": game.symbols}).encode("utf-8", "surrogatepass")
    cache().put(f"{game.key} names", [names])


def find(ruleset: Ruleset, *, exact: bool = False) -> CircuitMachine | None:
    """The machine of a game. `exact`: only one made of these very words, which does all that a new one would do, in the
    same order.
    """
    if not cache().folder:
        return None
    words = _digest(ruleset)
    machine = _load(ruleset, words, None)
    if machine is not None or exact:
        return machine
    game = canonical(ruleset)
    found = cache().get(f"{game.key} names")
    if found is None:
        return None
    known = json.loads(bytes(found))
    return _load(ruleset, known["words"], translation(Canonical(game.key, tuple(known["symbols"])), game))


def compiled(ruleset: Ruleset, limits: GroundLimits | None = None, tell: Tell = silent) -> CircuitMachine:
    """The machine of a game, as `CircuitMachine.compile` makes it: found, or made and kept."""
    machine = find(ruleset, exact=True)
    if machine is None:
        machine = CircuitMachine.compile(ruleset, limits, tell=tell)
        _ = machine.engine.playout, machine.engine.rollout()
        keep(machine)
    return machine


def keep_part(engine: Engine, name: str, part: object) -> None:
    """Keep something that was made of an engine's circuit and of nothing else."""
    cache().put(f"{_digest_of_circuit(engine)} {name}", [pickle.dumps(part, protocol=5)])


def find_part(engine: Engine, name: str) -> Any:
    """What `keep_part` kept of an equal circuit; None if there is nothing."""
    return _unpickled(f"{_digest_of_circuit(engine)} {name}") if cache().folder else None


def _load(ruleset: Ruleset, words: str, rename: Rename | None) -> CircuitMachine | None:
    with paused():
        packed: _Packed | None = _unpickled(_key(words, preferred()))
        machine = None if packed is None else packed.machine(ruleset, rename)
    return machine if machine is not None and machine.program.roles == ruleset.roles else None


def _key(words: str, way: Way) -> str:
    """Of a machine: its programs run in one way only."""
    return f"{words} circuit {way.value}"


def _unpickled(key: str) -> Any:
    """The object that was kept; None if there is none."""
    content = cache().get(key)
    try:
        return None if content is None else pickle.loads(content)
    except Exception:  # whatever it is that cannot be read any more can be made anew
        _LOG.warning("an entry of the cache cannot be read", exc_info=True)
        return None


def _digest(ruleset: Ruleset) -> str:
    """Of the words of a description; layout and comments are none."""
    lexemes = [lexeme for lexeme in _LEXEME.findall(ruleset.source.text) if lexeme[0] != ";"]
    return hashlib.sha256(" ".join(lexemes).encode("utf-8", "surrogatepass")).hexdigest()


def _digest_of_circuit(engine: Engine) -> str:
    known = engine.phases.known
    sizes = f"{engine.circuit.gates} {engine.circuit.roles} {known.shape} {engine.way.value} {engine.eager}"
    return hashlib.sha256(b"\n".join((sizes.encode(), known.tobytes(), engine.circuit.digest_bytes()))).hexdigest()


class _Program(GroundProgram):
    """A ground program whose names and rules are unpacked when somebody asks: a match never does."""

    _packed: bytes
    _rename: Rename | None

    def __getattr__(self, name: str) -> Any:  # only called for what is not there
        if name not in ("names", "rules"):
            raise AttributeError(name)
        names, heads, lengths, literals = pickle.loads(self._packed)
        ends = np.cumsum(lengths).tolist()
        body = literals.tolist()
        bodies = [tuple(body[lo:hi]) for lo, hi in itertools.pairwise([0, *ends])]
        self.__dict__["rules"] = tuple(zip(heads.tolist(), bodies, strict=True))
        self.__dict__["names"] = tuple(_renamed(names, self._rename))
        return self.__dict__[name]


def _renamed(texts: list[str], rename: Rename | None) -> list[str]:
    """Texts in other names; all at once, which takes half the time."""
    return texts if rename is None or not texts else rename("\n".join(texts)).split("\n")


@dataclass(frozen=True)
class _Packed:
    """A machine in few large pieces, which are read quickly, without anything that depends on the process."""

    stages: dict[str, float]
    sizes: dict[str, int]
    engine: Engine
    roles: list[str]
    fluents: list[str]
    bases: NDArray[np.int64]
    """[bases, 2]"""
    initial: NDArray[np.int64]
    moves: list[str]
    inputs: NDArray[np.int64]
    """[inputs, 3]"""
    terminal: int
    goals: NDArray[np.int64]
    """[goals, 3]"""
    percepts: list[str]
    sees: NDArray[np.int64]
    """[percepts, 2]"""
    rest: bytes
    """Names and rules, pickled."""

    @classmethod
    def of(cls, machine: CircuitMachine) -> _Packed:
        """Pack a machine."""
        program = machine.program
        heads = np.array([head for head, _ in program.rules], np.int32)
        lengths = np.array([len(body) for _, body in program.rules], np.int32)
        literals = np.fromiter(itertools.chain.from_iterable(body for _, body in program.rules), np.int32)
        return cls(
            stages=machine.stages,
            sizes=machine.sizes,
            engine=machine.engine,
            roles=list(program.roles),
            fluents=[base.fluent for base in program.bases],
            bases=_table([(base.true, base.next) for base in program.bases], 2),
            initial=np.array(sorted(program.initial), np.int64),
            moves=[pair.move for pair in program.inputs],
            inputs=_table([(pair.role, pair.does, pair.legal) for pair in program.inputs], 3),
            terminal=program.terminal,
            goals=_table(program.goals, 3),
            percepts=[seen.percept for seen in program.sees],
            sees=_table([(seen.role, seen.atom) for seen in program.sees], 2),
            rest=pickle.dumps((list(program.names), heads, lengths, literals), protocol=5),
        )

    def machine(self, ruleset: Ruleset, rename: Rename | None) -> CircuitMachine:
        """The machine, in the names of a ruleset."""
        true, then = self.bases.T.tolist()
        role, does, legal = self.inputs.T.tolist()
        who, atom = self.sees.T.tolist()
        fields = {
            "roles": tuple(_renamed(self.roles, rename)),
            "bases": tuple(map(Base, _renamed(self.fluents, rename), true, then)),
            "initial": frozenset(self.initial.tolist()),
            "inputs": tuple(map(Input, role, _renamed(self.moves, rename), does, legal)),
            "terminal": self.terminal,
            "goals": tuple(map(Goal._make, self.goals.tolist())),
            "sees": tuple(map(Sees, who, _renamed(self.percepts, rename), atom)),
        }
        program = _Program.__new__(_Program)
        program.__dict__.update(fields, _packed=self.rest, _rename=rename)
        machine = CircuitMachine(ruleset, program, self.engine)
        machine.stages, machine.sizes = self.stages, self.sizes
        return machine


def _table(rows: Sequence[tuple[int, ...]], columns: int) -> NDArray[np.int64]:
    return np.array(rows, np.int64).reshape(-1, columns)
