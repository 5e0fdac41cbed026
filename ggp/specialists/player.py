"""The player that asks a specialist: it tells the match's moves, and understands the answer.

The program is started when a match needs it. After an error it is ended, and the next move is asked of a new one, which
is told all moves from the first on.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Mapping

from gdl.ruleset import Ruleset
from gdl.terms import Term
from ggp.core.errors import SpecialistError, UsageError
from ggp.core.suggest import unknown
from ggp.players.player import Turn
from ggp.specialists.client import Client, Told, Wanted
from ggp.specialists.gtp import Gtp
from ggp.specialists.phrasebook import Phrasebook, Spoken, phrasebook
from ggp.specialists.pipe import Pipe
from ggp.specialists.spec import Spec, read_spec
from ggp.specialists.uci import Uci

_USUAL_SECONDS = 2.0
"""For a move of a UCI program, which has to be told, where there is neither a clock nor a limit."""
_PATIENCE = 60.0
"""For a move where there is no clock, beyond what the program was told."""
_START_SECONDS = 20.0
"""For a program to say who it is, where no clock says less. Some read books and networks first."""
_PLACES = ("/usr/games", "/usr/local/games")
"""Where Debian puts engines, besides the usual places."""
_KEPT = 0.1
"""Seconds of a clock that are kept to return a move, at most `_MOST` of them."""
_MOST = 0.2


class SpecialistPlayer:
    """Plays the moves of a program for one game."""

    def __init__(self, spec: Spec, command: list[str], options: Mapping[str, str], spoken: Spoken) -> None:
        self.name = spec.text
        self._spec, self._command, self._options, self._spoken = spec, command, options, spoken
        self._client: Client | None = None
        self._report: dict[str, object] = {}

    def choose(self, turn: Turn) -> Term:
        """The program's move; the only move without asking. SpecialistError where it gives none that is legal."""
        self._report = {}
        if len(turn.legal) == 1:
            return turn.legal[0]
        begun = time.monotonic()
        moves = self._told(turn)
        try:
            wanted = self._wanted(turn)
            client = self.open(wanted.deadline)
            answer = client.choose(moves, self._spoken.colour(turn.role), wanted)
            move = self._spoken.understand(answer.move, turn.legal)
            if move is None:
                raise SpecialistError(f"{self._spec.program} plays {answer.move!r}, which is no legal move here")
        except BaseException:
            self.close()
            raise
        seconds = round(time.monotonic() - begun, 3)
        self._report = {"program": client.title, "said": answer.move, "seconds": seconds, **answer.report}
        return move

    def ponder(self, turn: Turn) -> None:
        """Get the program ready: it thinks when it is asked."""
        self.open(turn.deadline)

    def report(self) -> Mapping[str, object]:
        """What the program said, and what it told of it."""
        return self._report

    def open(self, deadline: float | None = None) -> Client:
        """The program, started and ready for the game. UsageError if it cannot play it, or not with these options."""
        if self._client is None:
            latest = time.monotonic() + _START_SECONDS
            latest = latest if deadline is None else min(latest, deadline)
            pipe, phrases = Pipe(self._spec.program, self._command), self._spoken.phrases
            try:
                if self._spec.protocol == "gtp":
                    self._client = Gtp(pipe, phrases.setup, latest)
                else:
                    self._client = Uci(pipe, {**phrases.options, **self._options}, latest)
            except BaseException:
                pipe.close()
                raise
        return self._client

    def close(self) -> None:
        """End the program."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _told(self, turn: Turn) -> list[Told]:
        """The moves from the first position on, as the program is told them."""
        if turn.history is None:
            raise SpecialistError(
                f"{self._spec.program} has to be told all moves of the match, and they are not known here"
            )
        said = [
            (role, self._spoken.say(move)) for joint in turn.history for role, move in enumerate(joint)
        ]  # fmt: skip
        return [Told(self._spoken.colour(role), move) for role, move in said if move is not None]

    def _wanted(self, turn: Turn) -> Wanted:
        spec, now = self._spec, time.monotonic()
        if turn.deadline is None:
            seconds = _USUAL_SECONDS if spec.protocol == "uci" and not spec.limits else None
            seconds = spec.seconds or seconds
            return Wanted(now + (seconds or 0) + _PATIENCE, seconds, spec.limits, turn.stop)
        deadline = turn.deadline - min(_KEPT, _MOST * (turn.deadline - now))
        return Wanted(deadline, spec.seconds, spec.limits, turn.stop)


def make_specialist(text: str, seed: int, ruleset: Ruleset | None) -> SpecialistPlayer:
    """The player that a text like `gtp:gnugo,level=10` stands for, in a match of this game."""
    spec = read_spec(text)
    if ruleset is None:
        raise UsageError(f"player {text} needs to know the game: ggp.make_player(player, seed, ruleset)")
    book = phrasebook()
    command, options = _command(spec, seed, book)
    return SpecialistPlayer(spec, command, options, book.game(ruleset, spec.protocol))


def check_specialist(text: str, ruleset: Ruleset | None) -> None:
    """Refuse a specialist that cannot be made, or that cannot play this game."""
    if ruleset is None:
        _command(read_spec(text), 0, phrasebook())
        return
    player = make_specialist(text, 0, ruleset)
    try:
        player.open()
    finally:
        player.close()


def found(program: str) -> str | None:
    """The file of a program; None if it is not installed."""
    return shutil.which(program, path=os.pathsep.join([os.environ.get("PATH", os.defpath), *_PLACES]))


def _command(spec: Spec, seed: int, book: Phrasebook) -> tuple[list[str], dict[str, str]]:
    """What is started for a specialist, and the options that it is told."""
    known = book.programs.get(spec.program)
    if known is not None and known.protocol != spec.protocol:
        raise UsageError(f"player {spec.text!r}: {spec.program} speaks {known.protocol}, not {spec.protocol}")
    command = [spec.program] if known is None else list(known.command)
    file = found(command[0])
    if file is None:
        advice = f"; ask for: apt install {known.package}" if known is not None and known.package else ""
        raise UsageError(f"player {spec.text!r}: there is no program {command[0]}{advice}")
    names = {} if known is None else known.options
    if spec.protocol == "uci":
        return [file, *command[1:], *spec.arguments], {names.get(k, k): v for k, v in spec.options.items()}
    arguments = []
    for name, value in spec.options.items():
        if name not in names:
            raise UsageError(f"player {spec.text!r}: {unknown('option', name, [*names, 'seconds'])}")
        arguments.append(names[name].replace("?", value))
    if known is not None and known.seed:
        arguments.append(known.seed.replace("?", str(seed % 2**31)))
    return [file, *command[1:], *arguments, *spec.arguments], {}
