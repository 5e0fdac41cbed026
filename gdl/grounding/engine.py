"""One run of clingo's grounder: its ground rules on a tape, its atoms in tables, what it complains about in words."""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import clingo
import numpy as np
import numpy.typing as npt

from gdl.errors import GroundingError
from gdl.grounding import native
from gdl.grounding.bounds import work_bound
from gdl.grounding.guard import TooLargeError, guard
from gdl.grounding.rules import ANSWERED, Rule, relation, text, unbound, variables

_OBSERVER_RULE = 3
_OBSERVER_SIZE = 19
"""Members of `clingo_ground_program_observer_t`, and which of them is told of rules."""
_LINE = re.compile(r"<block>:(\d+):")
_SHOWN = 300
_WORDS_ENDLESS = 1_000_000
"""What is allowed to a grounding that may have no end: at least a hundred thousand rules, in a few seconds."""


@dataclass(frozen=True)
class Grounding:
    """What came out."""

    tape: npt.NDArray[np.int32]
    symbols: npt.NDArray[np.uint64]
    literals: npt.NDArray[np.int32]
    """Symbol and literal of each atom, in clingo's order."""
    control: clingo.Control
    """Owner of the symbols."""


def run(rules: Sequence[Rule], lines: Sequence[str]) -> Grounding:
    """Ground the lines of `clingo_lines`: the first is of no rule, the others are of one each.

    Raises GroundingError if clingo refuses it, MemoryError, or TooLargeError (see `guarded`).
    """
    _check(rules, lines)
    allowed = guard()
    if allowed.is_strict and work_bound(rules, allowed.known, allowed.work) > allowed.work:
        raise TooLargeError
    endless = _maybe_endless(rules)
    words = min(allowed.words, _WORDS_ENDLESS if endless else allowed.words)
    tape = np.empty(native.HEADER + words, np.int32)
    tape[: native.HEADER] = native.HEADER, len(tape), 0
    complaints: list[str] = []
    control = clingo.Control(["--warn=none"], logger=lambda _, message: complaints.append(message))
    address = _address(control)
    observer = (ctypes.c_void_p * _OBSERVER_SIZE)()
    observer[_OBSERVER_RULE] = native.collect.address
    if not _library().clingo_control_register_observer(address, observer, True, tape.ctypes.data):
        raise GroundingError("clingo takes no observer")
    try:
        control.add("base", [], "\n".join(lines))
        control.ground([("base", [])])
    except RuntimeError as error:
        if tape[native.FULL]:
            if allowed.is_strict:
                raise TooLargeError from error
            if endless:
                raise GroundingError(f"{_unlisted(endless[0])} but who asks, and no end is in sight") from error
            raise GroundingError(f"grounding gives too many rules: more than {words:,} literals") from error
        raise GroundingError(_complaint(rules, error, complaints)) from error
    symbols, literals = _atoms(address)
    return Grounding(tape, symbols, literals, control)


def _library() -> Any:
    """Clingo's C interface."""
    library: Any = ctypes.CDLL(sys.modules["clingo._clingo"].__file__)
    pointer = ctypes.c_void_p
    library.clingo_control_register_observer.argtypes = [pointer, pointer, ctypes.c_bool, pointer]
    library.clingo_control_register_observer.restype = ctypes.c_bool
    library.clingo_control_symbolic_atoms.argtypes = [pointer, pointer]
    library.clingo_symbolic_atoms_begin.argtypes = [pointer, pointer, pointer]
    library.clingo_symbolic_atoms_end.argtypes = [pointer, pointer]
    library.clingo_symbolic_atoms_size.argtypes = [pointer, pointer]
    return library


def _address(control: clingo.Control) -> int:
    ffi: Any = sys.modules["clingo._clingo"].ffi
    return int(ffi.cast("uintptr_t", control._rep))


def _atoms(control: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32]]:
    library = _library()
    table = ctypes.c_void_p()
    first, end, size = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_size_t()
    library.clingo_control_symbolic_atoms(control, ctypes.byref(table))
    library.clingo_symbolic_atoms_begin(table, None, ctypes.byref(first))
    library.clingo_symbolic_atoms_end(table, ctypes.byref(end))
    library.clingo_symbolic_atoms_size(table, ctypes.byref(size))
    symbols, literals = native.list_atoms(table.value or 0, first.value, end.value, size.value)
    return symbols, literals


def _check(rules: Sequence[Rule], lines: Sequence[str]) -> None:
    """Refuse variables that nothing binds, before clingo does; rules of the rulesheet are named first."""
    unsafe = [rule for rule, line in zip(rules, lines[1:], strict=True) if line and unbound(rule)]
    if unsafe:
        worst = min(unsafe, key=lambda rule: "#" in relation(rule.head)[0])
        raise GroundingError(_unlisted(worst))


def _unlisted(rule: Rule) -> str:
    return f"cannot list all that holds: nothing binds {', '.join(unbound(rule))} in a rule for {text(rule.head)}"


def _maybe_endless(rules: Sequence[Rule]) -> list[Rule]:
    """Rules that the answers to calls may bind, without their guards. First are those of relations that ask about
    themselves what other answers bind, and that nothing else binds.
    """
    found = []
    growing = {
        relation(rule.head)
        for rule in rules
        for x in rule.body
        if relation(x.atom) == relation(rule.head) and not set(variables(rule.head)) <= set(variables(x.atom))
    }
    for rule in rules:
        guards = {relation(x.atom) for x in rule.body if relation(x.atom)[0].startswith(ANSWERED)}
        if guards:
            own = Rule(rule.head, tuple([x for x in rule.body if relation(x.atom) not in guards]))
            found.append((not guards & growing, not unbound(own), "#" in relation(rule.head)[0], own))
    return [own for *_, own in sorted(found, key=lambda item: item[:3])]


def _complaint(rules: Sequence[Rule], error: RuntimeError, complaints: Sequence[str]) -> str:
    """In the words of the rulesheet, as far as there are any for it."""
    words = " ".join(" ".join([*complaints, str(error)]).split())[:_SHOWN]
    if "bad_alloc" in words:
        raise MemoryError from error
    line = _LINE.search(words)
    if line and 1 < int(line[1]) <= len(rules) + 1:
        return f"clingo refuses a rule for {text(rules[int(line[1]) - 2].head)[:_SHOWN]}: {words}"
    return f"clingo refuses the rules: {words or type(error).__name__}"
