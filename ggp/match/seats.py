"""Who sits at the table: a player over HTTP, a player in this process, or chance.

All are asked the same way and answer with a move or with a fault; nothing that a player does raises an exception here.
A player of ours tells what stood behind its move in the header `X-GGP-Report`, as a JSON object.
"""

from __future__ import annotations

import json
import logging
import math
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from gdl.terms import Term, kif
from ggp.core.errors import UsageError
from ggp.core.faults import report
from ggp.core.seeds import split_seed
from ggp.machines.machine import JointMove, Machine, Situation
from ggp.match.client import Address, send
from ggp.match.clocks import share_used
from ggp.match.faults import Fault, FaultKind, illegal, printable
from ggp.match.messages import REPORT_HEADER, Abort, Info, Preview
from ggp.match.record import Json
from ggp.match.reply import ClientError, LateError
from ggp.match.telling import Happened, PlayerInfo, Telling
from ggp.players.player import Player, Turn

_LONGEST_REPORT = 8192
"""Characters of a report; longer ones are left out."""
GOODBYE = 2.0
"""Seconds that a player has to answer ABORT."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Clocks:
    """How long players may take."""

    start: float = 10
    """Seconds to prepare for the match."""
    play: float = 3
    """Seconds for each move. GGP has whole seconds; fractions are sent as decimals, which our players understand."""
    allowance: float = 1.0
    """Seconds beyond either clock before a reply counts as late: networks take time."""


@dataclass(frozen=True)
class Scene:
    """A position as seats are asked about it."""

    position: Any
    situation: Situation
    happened: Happened


@dataclass(frozen=True)
class Answer:
    """A move, or what was wrong instead."""

    move: Term | None
    fault: Fault | None = None
    seconds: float = 0.0
    """How long it took."""
    report: Mapping[str, Json] = field(default_factory=dict)
    """What stood behind the move, as the player tells it."""


class Seat(Protocol):
    """One role's place in a match."""

    @property
    def name(self) -> str:
        """What the player is called."""
        ...

    @property
    def is_remote(self) -> bool:
        """True if asking means waiting for somebody else: such seats are asked all at once."""
        ...

    def preview(self, seconds: int, /) -> None:
        """Show the rules before the match."""
        ...

    def start(self, scene: Scene, /) -> Fault | None:
        """Start the match."""
        ...

    def play(self, scene: Scene, /) -> Answer:
        """Ask for a move."""
        ...

    def stop(self, scene: Scene, /) -> Fault | None:
        """Say that the match is over."""
        ...

    def abort(self) -> Fault | None:
        """Say that the match will not be finished."""
        ...


class ChanceSeat:
    """The role `random`: the game master moves for it, every legal move equally likely."""

    name = "random"
    is_remote = False

    def __init__(self, role: int, seed: int) -> None:
        self._role = role
        self._seed = seed

    def preview(self, _: int) -> None:
        """Chance needs no rules."""

    def start(self, _: Scene) -> Fault | None:
        """Chance is always ready."""
        return None

    def play(self, scene: Scene) -> Answer:
        """A move that hangs on the seed and the turn alone."""
        generator = random.Random(split_seed(self._seed, "chance", self._role, scene.happened.turn))
        return Answer(generator.choice(scene.situation.legal[self._role]))

    def stop(self, _: Scene) -> Fault | None:
        """Nothing ends for chance."""
        return None

    def abort(self) -> Fault | None:
        """Nothing ends for chance."""
        return None


class LocalSeat:
    """A player in this process. It shares the game master's machine and its thread."""

    is_remote = False

    def __init__(self, role: int, player: Player, machine: Machine[Any], clocks: Clocks, share: float = 1.0) -> None:
        """`share`: the part of the start clock that is its own, where several are asked one after the other."""
        self.name = player.name
        self._role = role
        self._player = player
        self._machine = machine
        self._clocks = clocks
        self._share = share
        self._history: list[JointMove] = []

    def preview(self, _: int) -> None:
        """It sees the rules when the match starts."""

    def start(self, scene: Scene) -> Fault | None:
        """Let it get ready, and think about the first position."""
        try:
            self._player.ponder(self._turn(scene, self._clocks.start * self._share))
        except Exception as error:  # whatever a player does, the others play on
            return self._broken(error)
        return None

    def play(self, scene: Scene) -> Answer:
        """Its move, held to the same clock as everybody's."""
        started = time.monotonic()
        try:
            move = self._player.choose(self._turn(scene, self._clocks.play))
            report = dict(self._player.report())
            report = _without_nulls({**report, **share_used(report, self._clocks.play)})
        except Exception as error:  # whatever a player does, the others play on
            return Answer(None, self._broken(error), time.monotonic() - started)
        taken = time.monotonic() - started
        if taken > self._clocks.play + self._clocks.allowance:
            return Answer(None, Fault(FaultKind.LATE, f"it took {taken:.1f} s"), taken, report)
        if move not in scene.situation.legal[self._role]:
            return Answer(None, illegal(kif(move), self._machine.roles[self._role]), taken, report)
        return Answer(move, None, taken, report)

    def stop(self, _: Scene) -> Fault | None:
        """The match is over for it."""
        return self.abort()

    def abort(self) -> Fault | None:
        """The match is over for it."""
        try:
            self._player.close()
        except Exception as error:  # whatever a player does, the others are told as well
            return self._broken(error)
        return None

    def _turn(self, scene: Scene, seconds: float) -> Turn:
        happened = scene.happened
        if happened.joint is not None:  # moves may have been taken back
            self._history[happened.turn - 1 :] = [happened.joint]
        return Turn(
            self._machine, scene.position, scene.situation, self._role, time.monotonic() + seconds,
            history=tuple(self._history[: happened.turn]),
        )  # fmt: skip

    def _broken(self, error: Exception) -> Fault:
        return Fault(FaultKind.BROKEN, printable(f"the player failed: {report(error)}", 400))


class RemoteSeat:
    """A player over HTTP."""

    is_remote = True

    def __init__(self, address: Address, telling: Telling, clocks: Clocks) -> None:
        self.name = str(address)
        self._address = address
        self._wire = telling
        self._clocks = clocks

    def hello(self, seconds: float) -> PlayerInfo | None:
        """Ask who the player is, and take over its name; None if it does not say, for some players do not know INFO.

        UsageError if nobody is there.
        """
        try:
            info = PlayerInfo.read(self._send(Info().text(), seconds, None)[0])
        except ClientError as error:
            if not error.reached:
                raise UsageError(f"the player {self._address} cannot be reached: {error}") from None
            return None
        self.name = info.name or self.name
        return info

    def preview(self, seconds: int) -> None:
        """Show the rules; many players do not know this message, so that silence is no fault."""
        try:
            self._send(Preview(self._wire.rules, seconds).text(), seconds + self._clocks.allowance, None)
        except ClientError as error:
            _LOG.info("%s did not answer PREVIEW: %s", self.name, error)

    def start(self, _: Scene) -> Fault | None:
        """Start the match; what the player says to it does not matter, as for all servers."""
        clocks = self._clocks
        return self._tell(self._wire.start(clocks.start, clocks.play), clocks.start + clocks.allowance, None)

    def play(self, scene: Scene) -> Answer:
        """Ask for a move."""
        seconds = self._clocks.play + self._clocks.allowance
        started = time.monotonic()
        try:
            text, taken, report = self._send(self._wire.play(scene.happened), seconds, scene.happened.turn)
        except ClientError as error:
            return Answer(None, _fault(error), time.monotonic() - started)
        move = self._wire.read_move(text, scene.situation.legal[self._wire.role])
        return Answer(move, illegal(text, self._wire.role_name) if move is None else None, taken, report)

    def stop(self, scene: Scene) -> Fault | None:
        """Say that the match is over."""
        seconds = self._clocks.play + self._clocks.allowance
        return self._tell(self._wire.stop(scene.happened), seconds, scene.happened.turn)

    def abort(self) -> Fault | None:
        """Say that the match will not be finished; nobody is waited for long."""
        return self._tell(Abort(self._wire.match).text(), GOODBYE, None)

    def _tell(self, message: str, seconds: float, step: int | None) -> Fault | None:
        try:
            self._send(message, seconds, step)
        except ClientError as error:
            return _fault(error)
        return None

    def _send(self, message: str, seconds: float, step: int | None) -> tuple[str, float, dict[str, Json]]:
        """Send a message; the text of the reply, the seconds it took, and the player's report."""
        headers = {"Sender": "ggp", "Receiver": _header(self.name), "GGP-Match-Host": "ggp"}
        headers["GGP-Match-ID"] = self._wire.match
        if step is not None:
            headers["GGP-Match-Step"] = str(step)
        reply = send(self._address, message, seconds, headers)
        return reply.text, reply.seconds, read_report(reply.headers.get(REPORT_HEADER, ""))


def read_report(text: str) -> dict[str, Json]:
    """What a player reports in its header; empty where that is no small object."""
    if not text or len(text) > _LONGEST_REPORT:
        return {}
    try:
        value = json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return {}
    return _without_nulls(value) if isinstance(value, dict) else {}


def _without_nulls(value: dict[str, Json]) -> dict[str, Json]:
    """What may stand in a record: plain JSON without nulls."""

    def clean(item: Json) -> Json:
        if isinstance(item, Mapping):
            return {str(key): clean(inner) for key, inner in item.items() if inner is not None}
        if isinstance(item, list | tuple):
            return [clean(inner) for inner in item if inner is not None]
        is_plain = isinstance(item, str | int) or (isinstance(item, float) and math.isfinite(item))
        return item if is_plain else str(item)

    cleaned: dict[str, Json] = clean(value)
    return cleaned


def _fault(error: ClientError) -> Fault:
    return Fault(FaultKind.LATE if isinstance(error, LateError) else FaultKind.BROKEN, printable(str(error), 300))


def _header(text: str) -> str:
    """A name as a header may hold it."""
    return text.encode("ascii", "replace").decode()
