"""The record of a match while it is played: each position and joint move is written as soon as it is there."""

from __future__ import annotations

import platform
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gdl.ruleset import Ruleset
from gdl.terms import Term, kif
from ggp import __version__
from ggp.core.errors import UsageError
from ggp.core.seeds import split_seed
from ggp.match.faults import Fault
from ggp.match.record import Json, Record, digest, state_text
from ggp.match.recorder import RecordFile, record_path
from ggp.match.seats import Answer

_NO_WORD = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Identity:
    """What tells one match from all others, and does not change while it is played."""

    match_id: str
    game: str
    """A short name of the game."""
    url: str
    """Where the game is described, with a version: `/v0/`."""
    seed: int
    start_time: int
    """Milliseconds since 1970."""

    @property
    def token(self) -> str:
        """Random letters that hang on the seed and on what is unique to the match."""
        return f"{split_seed(self.seed, 'token', self.match_id, self.start_time):016x}"


def as_word(name: str) -> str:
    """The name of a game as it may stand in a match id: files have any names, ids stand in messages and name files.

    >>> as_word("my (first) game")
    'my_first_game'
    """
    return _NO_WORD.sub("_", name).strip(".") or "game"


def new_identity(game: str, seed: int, match_id: str | None = None, url: str | None = None) -> Identity:
    """The identity of a match that begins now.

    The id is not chance of the game: it must tell apart two matches of the same seed, also for players that are asked
    twice. So it holds the time, and a caller who wants the same bytes twice gives it.
    """
    now = time.time_ns()
    name = as_word(game)
    if match_id is not None and (_NO_WORD.search(match_id) or not match_id.strip(".")):
        raise UsageError(f"{match_id!r} is no id of a match: letters, digits and ._- only")
    made = match_id or f"{name}.{seed}.{now // 1_000_000}{now // 1000 % 1000:03d}"
    return Identity(made, game, url or f"http://games.invalid/{name}/v0/", seed, now // 1_000_000)


class Chronicle:
    """Keeps the record of one match, on disk if it has a place there."""

    def __init__(self, record: Record, file: RecordFile | None = None) -> None:
        self.record = record
        self._file = file
        self._place: Path | None = None
        self._faults: list[Json] = record.more.setdefault("x-faults", [])
        self._reports: list[Json] = record.more.setdefault("x-reports", [])
        self._reply_times: list[Json] = record.more.setdefault("x-replyTimes", [])
        self._events: list[Json] = record.more.setdefault("x-events", [])

    @property
    def place(self) -> Path | None:
        """Where the record is, or will be."""
        return self._place if self._file is None else self._file.path

    def position(self, fluents: Sequence[Term]) -> None:
        """A position was reached."""
        before = self.record.state_times[-1] if self.record.state_times else self.record.start_time
        self.record.states.append(state_text(fluents))
        self.record.state_times.append(max(before, time.time_ns() // 1_000_000))
        self.save()

    def joint(self, joint: Sequence[Term], answers: Sequence[Answer]) -> None:
        """A joint move was made; it is written with the position to which it leads."""
        self.record.moves.append([kif(move) for move in joint])
        self.record.errors.append([answer.fault.code if answer.fault else "" for answer in answers])
        self._reports.append([dict(answer.report) for answer in answers])
        self._reply_times.append([round(answer.seconds * 1000) for answer in answers])

    def fault(self, phase: str, step: int, role: str, fault: Fault) -> None:
        """A player did something wrong. The next step writes it."""
        self._faults.append({"phase": phase, "step": step, "role": role, "fault": fault.code, "message": fault.message})

    def event(self, message: str) -> None:
        """Something happened that is nobody's fault, but that a reader of the record should know."""
        self._events.append(message)

    def take_back(self, turn: int) -> None:
        """The match goes back to an earlier step: what came after it is struck out, but for a note of it."""
        record = self.record
        self.event(f"step {len(record.moves)}: moves were taken back to step {turn}")
        del record.states[turn + 1 :], record.state_times[turn + 1 :]
        for listed in (record.moves, record.errors, self._reports, self._reply_times):
            del listed[turn:]
        self._faults[:] = [fault for fault in self._faults if fault["phase"] == "start" or fault["step"] < turn]
        if self._file is not None:
            self._file.replace(record.text())

    def complete(self, goals: Sequence[int]) -> None:
        """The match has come to its end."""
        self.record.is_completed = True
        self.record.goals = list(goals)
        self.save()

    def resign(self, role: str, goals: Sequence[int]) -> None:
        """A role gives the match up, which is as good as these goals; that it is aborted is told next."""
        self.record.more["x-resigned"] = {"role": role, "goals": list(goals)}

    def abort(self, reason: str) -> None:
        """The match will not be finished. A joint move that led nowhere is taken back: no position follows it."""
        record = self.record
        for listed in (record.moves, record.errors, self._reports, self._reply_times):
            del listed[max(0, len(record.states) - 1) :]
        record.is_aborted = True
        record.more["x-abortReason"] = reason
        self.save()

    def save(self) -> None:
        """Write the record as it is now; the first time, its place must be free."""
        if self._file is None:
            return
        text = self.record.text()
        if len(self.record.states) > 1 or self.record.is_completed or self.record.is_aborted:
            self._file.replace(text)
        else:
            self._file.create(text)

    def close(self) -> Path | None:
        """Where the record is, if it is anywhere. Closing twice does no harm."""
        if self._file is not None:
            self._place, self._file = self._file.close(), None
        return self._place


def begin(
    identity: Identity, ruleset: Ruleset, names: Sequence[str], specs: Sequence[str], *,
    start_clock: float, play_clock: float, scrambled: bool, place: Path | None, warn: Callable[[str], None],
) -> Chronicle:  # fmt: skip
    """The chronicle of a match that is about to begin."""
    rules = ruleset.source.text
    record = Record(
        identity.match_id, identity.start_time, identity.token, start_clock, play_clock, identity.url,
        players=list(names),
        more={
            "scrambled": scrambled,
            "x-game": identity.game,
            "x-roles": list(ruleset.roles),
            "x-players": list(specs),
            "x-seed": identity.seed,
            "x-versions": {"ggp": __version__, "python": platform.python_version()},
            "x-rulesSha256": digest(rules),
            "x-rules": rules,
        },
    )  # fmt: skip
    file = None if place is None else RecordFile(record_path(place, identity.match_id), warn)
    return Chronicle(record, file)
