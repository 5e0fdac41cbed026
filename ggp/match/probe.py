"""Look at a player as game servers would see it, and say what would fail.

The player must be free: it is given two matches of a small game. Everything is sent as some server or other is known to
send it; what only few servers need is noted without counting as a failure.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

from gdl.parser import parse_term
from gdl.terms import kif
from ggp.match.client import Address
from ggp.match.exchange import Exchange, exchange, post
from ggp.match.faults import printable
from ggp.match.telling import PlayerInfo

GAME = """
(role First) (role Second)
(init (Stones 12)) (init (Turn First))
(Other First Second) (Other Second First)
(Less 1 0) (Less 2 1) (Less 3 2) (Less 4 3) (Less 5 4) (Less 6 5)
(Less 7 6) (Less 8 7) (Less 9 8) (Less 10 9) (Less 11 10) (Less 12 11)
(<= (Minus ?n 1 ?m) (Less ?n ?m))
(<= (Minus ?n 2 ?k) (Less ?n ?m) (Less ?m ?k))
(<= (legal ?p (Take ?a)) (true (Turn ?p)) (true (Stones ?n)) (Minus ?n ?a ?m))
(<= (legal ?p Wait) (role ?p) (not (true (Turn ?p))))
(<= (next (Stones ?m)) (does ?p (Take ?a)) (true (Stones ?n)) (Minus ?n ?a ?m))
(<= (next (Turn ?q)) (true (Turn ?p)) (Other ?p ?q))
(<= (goal ?p 100) (Other ?p ?q) (true (Turn ?q)))
(<= (goal ?p 0) (true (Turn ?p)))
(<= terminal (true (Stones 0)))
"""
"""Who takes the last stone wins. Its spelling shows whether a player replies as it was asked: some servers mind case."""

_WHILE_THINKING = 1.0
"""Seconds for INFO and ABORT during a PLAY: one server's page asks every second, with that time-out."""
_CORS = ("access-control-allow-origin", "access-control-allow-headers")


@dataclass(frozen=True)
class ProbeSettings:
    """How patient a server would be."""

    start_clock: int = 5
    """Seconds."""
    play_clock: int = 5
    """Seconds. Players keep up to 4 s in hand, so that less makes them answer without thought."""
    allowance: float = 1.0
    """Seconds beyond the clocks."""
    quick: float = 3.0
    """Seconds for replies that need no thought."""
    megabytes: int = 5
    """Of the largest START."""


@dataclass(frozen=True)
class Finding:
    """One thing that was tried."""

    name: str
    good: bool
    detail: str
    essential: bool = True
    """False for what few servers need: it is told, but it is no failure."""


Outcome = tuple[bool, str]


class Probe:
    """Tries one player."""

    def __init__(self, address: Address, settings: ProbeSettings) -> None:
        self.address = address
        self.settings = settings
        self._first = ""
        self._id = f"probe.{time.time_ns() // 1_000_000}"

    def findings(self) -> Iterator[Finding]:
        """All that was found, as it is found; ends early where nobody is there, or the player is busy."""
        first = self._try("answers INFO", self._info)
        yield first
        if not first.good:
            return
        yield self._try("is available", self._available)
        for name, check in self._transport():
            yield self._try(name, check)
        for name, check in self._tolerance():
            yield self._try(name, check, essential=False)
        if self._available()[0]:
            for name, check in self._matches():
                yield self._try(name, check)
            yield self._try("replies in the spelling of START", self._spelling, essential=False)

    def _try(self, name: str, check: Callable[[], Outcome], essential: bool = True) -> Finding:
        try:
            good, detail = check()
        except TimeoutError:
            good, detail = False, "no reply in time"
        except OSError as error:
            good, detail = False, (error.strerror or str(error)).lower()
        return Finding(name, good, detail, essential)

    # ---- transport ----------------------------------------------------------------------------------------------

    def _send(self, message: str, seconds: float | None = None) -> Exchange:
        return exchange(self.address, post(message), seconds or self.settings.quick)

    def _info(self) -> Outcome:
        got = self._send("( INFO )")
        return got.status == 200, f"{_status(got)}: {printable(got.text) or 'an empty body'}"

    def _available(self) -> Outcome:
        info = PlayerInfo.read(self._send("( INFO )").text)
        if not info.name:
            return info.is_available, f"{info.status or 'no status'}, in the old form without a name"
        return info.is_available, f"{info.name} is {info.status or 'silent about its status'}"

    def _transport(self) -> list[tuple[str, Callable[[], Outcome]]]:
        return [
            ("tells the length of its reply", self._length),
            ("closes the connection after its reply", self._closing),
            ("answers HTTP/1.0", lambda: self._same(post("( INFO )", version="1.0", host=False))),
            ("answers without a Host", lambda: self._same(post("( INFO )", host=False))),
            ("does not mind the content type", lambda: self._same(post("( INFO )", headers=_FORM))),
            ("does not mind small letters in headers", lambda: self._same(post("( INFO )", headers=_SMALL))),
            ("takes commands in any case", lambda: self._same(post("(info)"))),
            ("takes requests in pieces", lambda: self._same(post("( INFO )"), pieces=40)),
            ("answers a preflight", self._preflight),
            ("allows pages to read its replies", self._allows),
            ("answers `busy` to a match it does not know", self._unknown),
            ("survives what is no message", self._garbage),
        ]

    def _length(self) -> Outcome:
        got = self._send("( INFO )")
        return (
            got.length_is_right,
            f"Content-Length {got.headers.get('content-length', 'missing')}, {len(got.body)} bytes",
        )

    def _closing(self) -> Outcome:
        got = self._send("( INFO )")
        return got.closed, "closed" if got.closed else "left open: a server that reads to the end would time out"

    def _same(self, data: bytes, pieces: int = 1) -> Outcome:
        got = exchange(self.address, data, self.settings.quick, pieces)
        return got.status == 200 and bool(got.text), f"{_status(got)}: {printable(got.text, 60)}"

    def _preflight(self) -> Outcome:
        lines = [
            "OPTIONS / HTTP/1.1",
            "Host: localhost",
            "Origin: http://localhost",
            "Access-Control-Request-Method: POST",
        ]
        lines.append("Access-Control-Request-Headers: sender,receiver,content-type")
        got = exchange(self.address, "\r\n".join([*lines, "", ""]).encode(), self.settings.quick)
        allowed = got.headers.get("access-control-allow-headers", "").lower()
        missing = [name for name in _CORS if name not in got.headers]
        missing += [name for name in ("sender", "receiver") if "*" not in allowed and name not in allowed]
        good = got.status in (200, 204) and not missing
        return good, _status(got) + (f", without {', '.join(missing)}" if missing else "")

    def _allows(self) -> Outcome:
        origin = self._send("( INFO )").headers.get("access-control-allow-origin")
        return (
            origin is not None,
            f"Access-Control-Allow-Origin: {origin}" if origin else "no Access-Control-Allow-Origin",
        )

    def _unknown(self) -> Outcome:
        messages = ["( PLAY no.such.match NIL )", "( STOP no.such.match NIL )", "( ABORT no.such.match )"]
        replies = [self._send(message) for message in messages]
        said = [printable(got.text, 30) for got in replies]
        good = all(got.status == 200 for got in replies) and said[0].lower() == "busy"
        return good, f"PLAY, STOP and ABORT get {', '.join(word or 'nothing' for word in said)}"

    def _garbage(self) -> Outcome:
        for message in ("( NONSENSE (", ")" * 100, "\u00e4\u2603\x00", "(" * 20_000, "( START )"):
            try:
                self._send(message)
            except OSError:
                continue  # what it says to this does not matter, but it must be there afterwards
        return self._info()

    def _tolerance(self) -> list[tuple[str, Callable[[], Outcome]]]:
        return [
            ("takes an empty body for INFO", lambda: self._same(post(""))),
            (
                "answers a GET",
                lambda: self._same(f"GET /{quote('( INFO )')} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()),
            ),
            ("answers PREVIEW", lambda: self._same(post(f"( PREVIEW ({_one_line(GAME)}) 2 )"))),
        ]

    # ---- matches ------------------------------------------------------------------------------------------------

    def _matches(self) -> list[tuple[str, Callable[[], Outcome]]]:
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
            (f"accepts a START of {self.settings.megabytes} MB", self._large),
            ("is available after all", lambda: self._expect_status("available")),
        ]

    def _start_message(self, name: str, role: str, rules: str) -> str:
        clocks = f"{self.settings.start_clock} {self.settings.play_clock}"
        return f"( START {self._id}.{name} {role} ({_one_line(rules)}) {clocks} )"

    def _start(self, name: str, role: str, rules: str) -> Outcome:
        seconds = self.settings.start_clock + self.settings.allowance
        return self._reply(self._start_message(name, role, rules), "ready", seconds)

    def _reply(self, message: str, wanted: str, seconds: float | None = None) -> Outcome:
        got = self._send(message, seconds)
        return got.text.lower() == wanted, f"{printable(got.text, 60) or 'an empty body'} in {got.seconds:.1f} s"

    def _expect_status(self, wanted: str) -> Outcome:
        deadline = time.monotonic() + self.settings.quick  # memory may take a moment to be given back
        while True:
            got = self._send("( INFO )", _WHILE_THINKING)
            info = PlayerInfo.read(got.text)
            if info.status == wanted or time.monotonic() > deadline:
                return info.status == wanted, f"{info.status or printable(got.text, 60)} in {got.seconds:.2f} s"
            time.sleep(0.1)

    def _play(self, seen: str, step: int, name: str = "a") -> Exchange:
        lines = ["Content-Type: text/acl", f"GGP-Match-ID: {self._id}.{name}", f"GGP-Match-Step: {step}"]
        data = post(f"( PLAY {self._id}.{name} {seen} )", headers=lines)
        return exchange(self.address, data, self.settings.play_clock + self.settings.allowance)

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
        info = self._send("( INFO )", _WHILE_THINKING)
        abort = self._send(f"( ABORT {self._id}.c )", _WHILE_THINKING)
        thinking.join(self.settings.play_clock + self.settings.allowance)
        good = info.status == 200 and abort.text.lower() == "aborted" and bool(played)
        return good, f"INFO in {info.seconds:.2f} s, {printable(abort.text, 40)} in {abort.seconds:.2f} s"

    def _large(self) -> Outcome:
        one = 100
        count = (self.settings.megabytes << 20) // one
        facts = "\n".join(f"(Table {number} {'x' * (one - 16 - len(str(number)))})" for number in range(count))
        good, said = self._start("d", "Second", GAME + facts)
        abort = self._send(f"( ABORT {self._id}.d )", self.settings.play_clock)
        return good and abort.status == 200, said

    def _spelling(self) -> Outcome:
        good, said = self._start("e", "First", GAME)
        try:
            got = self._play("NIL", 0, "e")
        finally:
            self._send(f"( ABORT {self._id}.e )", self.settings.quick)
        return good and " ".join(got.text.split()).strip("( )").startswith(
            "Take "
        ), f"{printable(got.text, 60)}, START {said}"


_FORM = ("Content-Type: application/x-www-form-urlencoded; charset=UTF-8",)
_SMALL = ("Content-type: text/acl", "content-length: 8")


def _as_term(text: str) -> str:
    try:
        return kif(parse_term(text))
    except ValueError:
        return ""


def _one_line(rules: str) -> str:
    return " ".join(rules.split())


def _status(got: Exchange) -> str:
    return f"HTTP status {got.status}" if got.status else "no HTTP reply"
