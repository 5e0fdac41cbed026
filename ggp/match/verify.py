"""Is a record what the rules say? Every move legal, every position right, goals, lengths and times as they must be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gdl.parser import parse_term
from gdl.source import Source
from gdl.terms import Compound, Term, arguments, kif
from ggp.core.errors import RecordError
from ggp.machines.machine import JointMove, Machine, Situation, by_text, goal
from ggp.match.record import Record, digest

_SHOWN = 10
"""Fluents that are shown of a position that is not the expected one."""


@dataclass(frozen=True)
class Complaint:
    """Something in a record that is not as it must be."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass(frozen=True)
class ReplayStep:
    """A position of a record, as the rules have it."""

    number: int
    fluents: tuple[Term, ...]
    situation: Situation
    joint: JointMove | None
    """What was played there."""
    led: JointMove | None
    """What was played before, and led there."""


def rules_of(record: Record, name: str) -> Source:
    """The rules that a record carries; RecordError if there are none, or others than when it was written."""
    if record.rules is None:
        raise RecordError(f"{name}: the record carries no rules; name the game's file with --game")
    known = record.more.get("x-rulesSha256")
    if known is not None and known != digest(record.rules):
        raise RecordError(f"{name}: x-rules: these are not the rules of the match: x-rulesSha256 is of another text")
    return Source(record.rules, f"{name}:x-rules")


def check_form(record: Record) -> Iterator[Complaint]:
    """What can be told without the rules: lengths, times, and what belongs together."""
    steps = len(record.moves)
    for key, length in (("states", len(record.states)), ("stateTimes", len(record.state_times))):
        if length != steps + 1:
            yield Complaint(key, f"{length} of them, but {steps} moves need {steps + 1}")
    if record.errors and len(record.errors) != steps:
        yield Complaint("errors", f"{len(record.errors)} of them for {steps} moves")
    before = record.start_time
    for number, time in enumerate(record.state_times):
        if time < before:
            yield Complaint(f"stateTimes[{number}]", f"{time} is earlier than {before} before it")
        before = time
    for key, clock in (("startClock", record.start_clock), ("playClock", record.play_clock)):
        if clock < 0:
            yield Complaint(key, f"{clock} is below 0")
    if len(record.random_token) < 12:
        yield Complaint("randomToken", "shorter than 12 characters")
    if record.is_completed and record.is_aborted:
        yield Complaint("isAborted", "a match is completed or aborted, not both")
    if record.is_completed and record.goals is None:
        yield Complaint("goalValues", "missing, though the match is completed")
    if record.goals is not None and not record.is_completed:
        yield Complaint("goalValues", "only a completed match has goals")


class Replay:
    """Steps through a record by the rules. Complaints gather in `complaints`; the play stops where it cannot go on."""

    def __init__(self, record: Record, machine: Machine[Any]) -> None:
        self.record = record
        self.complaints = list(check_form(record))
        self._machine = machine

    def steps(self, after: ReplayStep | None = None) -> Iterator[ReplayStep]:
        """The positions of the match, each compared with the record's; those `after` one, where it is known already."""
        record, machine, roles = self.record, self._machine, self._machine.roles
        for key, width in (("playerNamesFromHost", len(record.players)), ("goalValues", len(record.goals or roles))):
            if width not in (0, len(roles)):
                self._complain(key, f"{width} of them for {len(roles)} roles")
        if after is None:
            yield from self._follow(0, machine.initial(), None)
        elif after.number == len(record.moves):
            self._compare_end(after.situation)
        elif (joint := self._joint(after.number, after.situation)) is not None:
            yield from self._follow(after.number + 1, machine.next(machine.position(after.fluents), joint), joint)

    def _follow(self, first: int, position: Any, led: JointMove | None) -> Iterator[ReplayStep]:
        """The positions from a step on, to which a joint move `led`."""
        record, machine = self.record, self._machine
        for number in range(first, len(record.moves) + 1):
            fluents = machine.fluents(position)
            situation = machine.situation(position)
            if number < len(record.states):
                self._compare_state(number, fluents)
            joint = self._joint(number, situation) if number < len(record.moves) else None
            yield ReplayStep(number, fluents, situation, joint, led)
            if joint is None:
                break
            position, led = machine.next(position, joint), joint
        if number == len(record.moves):
            self._compare_end(situation)

    def _compare_state(self, number: int, fluents: tuple[Term, ...]) -> None:
        place = f"states[{number}]"
        try:
            recorded = by_text(_list_of_terms(self.record.states[number]))
        except ValueError as error:
            self._complain(place, str(error))
            return
        if recorded == fluents:
            return
        missing = sorted({*map(kif, fluents)} - {*map(kif, recorded)})
        extra = sorted({*map(kif, recorded)} - {*map(kif, fluents)})
        parts = [f"{what} {_some(names)}" for what, names in (("lacks", missing), ("should not hold", extra)) if names]
        self._complain(place, f"not what the rules say: it {', and '.join(parts)}")

    def _joint(self, number: int, situation: Situation) -> JointMove | None:
        """The joint move of a step; None if it is none, or is not legal, so that nothing follows from it."""
        texts, roles = self.record.moves[number], self._machine.roles
        if number < len(self.record.errors) and len(self.record.errors[number]) != len(roles):
            self._complain(f"errors[{number}]", f"{len(self.record.errors[number])} entries for {len(roles)} roles")
        if situation.terminal:
            self._complain(f"moves[{number}]", "the game was over before")
            return None
        if len(texts) != len(roles):
            self._complain(f"moves[{number}]", f"{len(texts)} moves for {len(roles)} roles")
            return None
        moves: list[Term] = []
        for role, text, legal in zip(roles, texts, situation.legal, strict=True):
            try:
                move = parse_term(text)
            except ValueError:
                self._complain(f"moves[{number}]", f"{text[:80]!r}, of {role}, is no move")
                continue
            if move in legal:
                moves.append(move)
            else:
                known = _some([*map(kif, legal)])
                self._complain(f"moves[{number}]", f"{kif(move)[:80]} is not legal for {role}; legal are: {known}")
        return tuple(moves) if len(moves) == len(roles) else None

    def _compare_end(self, situation: Situation) -> None:
        record = self.record
        if record.is_completed and not situation.terminal:
            self._complain("isCompleted", "the last position is not terminal")
        if record.goals is not None:
            right = [goal(values) for values in situation.goals]
            if record.goals != right:
                self._complain("goalValues", f"{record.goals}, but the rules say {right}")

    def _complain(self, place: str, message: str) -> None:
        self.complaints.append(Complaint(place, message))


def _list_of_terms(text: str) -> tuple[Term, ...]:
    """The terms of a list, which need not begin with a name: `((cell 1 1 b) over)`."""
    inner = text.strip()
    if not (inner.startswith("(") and inner.endswith(")")):
        raise ValueError("a position is a list of fluents")
    try:
        wrapped = parse_term(f"(state {inner[1:-1]})")
    except ValueError:
        raise ValueError("a position is a list of fluents") from None
    found = arguments(wrapped)
    if any(isinstance(term, Compound) and term.name == "true" for term in found):
        raise ValueError("fluents are recorded without `true`")
    return found


def _some(names: list[str]) -> str:
    return " ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
