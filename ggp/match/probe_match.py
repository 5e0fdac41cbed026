"""Does a player behave in matches as game servers need it?"""

from __future__ import annotations

import threading
import time

from gdl.parser import parse_term
from gdl.terms import kif
from ggp.match.asker import GAME, Asker, Check, Outcome, one_line
from ggp.match.exchange import Exchange, exchange, post
from ggp.match.faults import printable
from ggp.match.telling import PlayerInfo

_WHILE_THINKING = 1.0
"""Seconds for INFO and ABORT during a PLAY: one server's page asks every second, with that time-out."""


class MatchChecks:
    """Plays a few short matches, one after the other."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker
        self._first = ""
        """What the player said to the first PLAY."""
        self._id = f"probe.{time.time_ns() // 1_000_000}"

    def essential(self) -> list[Check]:
        """What servers need; each check builds on those before."""
        return [
            ("accepts a match", lambda: self._start("a", "First", GAME)),
            ("answers INFO in a match", lambda: self._expect_status("busy")),
            ("refuses a second match", lambda: self._reply(self._start_message("b", "First", GAME), "busy")),
            ("makes a legal move", self._first_move),
            ("gives a repeated request the same answer", self._repeated),
            ("plays on", lambda: self._move(self._play("((Take 1) Wait)", 1), "wait")),
            ("goes on from what the server played", self._after_other_moves),
            ("ends a match", lambda: self._reply(f"( STOP {self._id}.a ((Take 2) Wait) )", "done")),
            ("is available again", lambda: self._expect_status("available")),
            ("answers INFO and ABORT while it thinks", self._abort_in_thought),
            ("is available after ABORT", lambda: self._expect_status("available")),
            (f"accepts a START of {self._asker.settings.megabytes} MB", self._large),
            ("is available after all", lambda: self._expect_status("available")),
        ]

    def _start_message(self, name: str, role: str, rules: str) -> str:
        clocks = f"{self._asker.settings.start_clock} {self._asker.settings.play_clock}"
        return f"( START {self._id}.{name} {role} ({one_line(rules)}) {clocks} )"

    def _start(self, name: str, role: str, rules: str) -> Outcome:
        seconds = self._asker.settings.start_clock + self._asker.settings.allowance
        return self._reply(self._start_message(name, role, rules), "ready", seconds)

    def _reply(self, message: str, wanted: str, seconds: float | None = None) -> Outcome:
        got = self._asker.send(message, seconds)
        return got.text.lower() == wanted, f"{printable(got.text, 60) or 'an empty body'} in {got.seconds:.1f} s"

    def _expect_status(self, wanted: str) -> Outcome:
        deadline = time.monotonic() + self._asker.settings.quick  # memory may take a moment to be given back
        while True:
            got = self._asker.send("( INFO )", _WHILE_THINKING)
            info = PlayerInfo.read(got.text)
            if info.status == wanted or time.monotonic() > deadline:
                return info.status == wanted, f"{info.status or printable(got.text, 60)} in {got.seconds:.2f} s"
            time.sleep(0.1)

    def _play(self, seen: str, step: int, name: str = "a") -> Exchange:
        lines = ["Content-Type: text/acl", f"GGP-Match-ID: {self._id}.{name}", f"GGP-Match-Step: {step}"]
        data = post(f"( PLAY {self._id}.{name} {seen} )", headers=lines)
        return exchange(self._asker.address, data, self._asker.settings.play_clock + self._asker.settings.allowance)

    def _move(self, got: Exchange, *legal: str) -> Outcome:
        said = _as_term(got.text)
        return said in legal, f"{printable(got.text, 60) or 'an empty body'} in {got.seconds:.1f} s"

    def _first_move(self) -> Outcome:
        got = self._play("NIL", 0)
        self._first = _as_term(got.text)
        return self._move(got, "(take 1)", "(take 2)")

    def _repeated(self) -> Outcome:
        return self._move(self._play("NIL", 0), self._first)

    def _after_other_moves(self) -> Outcome:
        """The server played other moves than the player said, as servers do after an illegal one."""
        return self._move(self._play("(Wait (Take 2))", 2), "(take 1)", "(take 2)")

    def _abort_in_thought(self) -> Outcome:
        """ABORT must be answered at once, and the PLAY that it interrupts must not hang for ever."""
        good, said = self._start("c", "First", GAME)
        if not good:
            return good, f"START gets {said}"
        played: list[Exchange | OSError] = []

        def play() -> None:
            try:
                played.append(self._play("NIL", 0, "c"))
            except OSError as error:
                played.append(error)

        thinking = threading.Thread(target=play, daemon=True)
        thinking.start()
        time.sleep(0.3)
        info = self._asker.send("( INFO )", _WHILE_THINKING)
        abort = self._asker.send(f"( ABORT {self._id}.c )", _WHILE_THINKING)
        thinking.join(self._asker.settings.play_clock + self._asker.settings.allowance)
        good = info.status == 200 and abort.text.lower() == "aborted" and bool(played)
        return good, f"INFO in {info.seconds:.2f} s, {printable(abort.text, 40)} in {abort.seconds:.2f} s"

    def _large(self) -> Outcome:
        one = 100
        count = (self._asker.settings.megabytes << 20) // one
        facts = "\n".join(f"(Table {number} {'x' * (one - 16 - len(str(number)))})" for number in range(count))
        good, said = self._start("d", "Second", GAME + facts)
        abort = self._asker.send(f"( ABORT {self._id}.d )", self._asker.settings.play_clock)
        return good and abort.status == 200, said

    def spelling(self) -> Outcome:
        """Some servers compare case: a reply must spell its move as START did."""
        good, said = self._start("e", "First", GAME)
        try:
            got = self._play("NIL", 0, "e")
        finally:
            self._asker.send(f"( ABORT {self._id}.e )", self._asker.settings.quick)
        return good and " ".join(got.text.split()).strip("( )").startswith(
            "Take "
        ), f"{printable(got.text, 60)}, START {said}"


def _as_term(text: str) -> str:
    try:
        return kif(parse_term(text))
    except ValueError:
        return ""
