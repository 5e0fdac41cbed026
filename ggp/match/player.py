"""The HTTP player without HTTP: a request's text in, the reply's text out, and at most one match at a time."""

from __future__ import annotations

import json
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any
from urllib.parse import unquote_plus

from ggp.core.delays import Delays
from ggp.core.errors import MessageError
from ggp.match.journal import Journal
from ggp.match.messages import (
    REPORT_HEADER,
    Abort,
    Info,
    Message,
    Ping,
    Play,
    Preview,
    Start,
    Stop,
    parse_message,
)
from ggp.match.nursery import Nursery
from ggp.match.session import Session
from ggp.match.settings import PlayerSettings

READY, BUSY, DONE, ABORTED = "ready", "busy", "done", "aborted"
_LARGE = 1 << 18
"""Bytes of messages that are read one at a time: many at once would hold up the small ones, which are urgent."""
_SHOWN = {"simulations_per_second": "{:,.0f} simulations/s", "expected": "expects {:.0f}"}
"""What the status line shows of a player's report."""
_TICK = 0.2
"""Seconds between looks at the session."""
_SMALLEST_LAG = 0.02
"""Seconds that the way from the mind to the server takes on a quiet machine, with something in hand."""
_REMEMBERED = 16
"""Ended matches whose STOP or ABORT gets the same reply when it comes again."""


class Bucket:
    """Lets a burst of things pass, and in the long run so many a second."""

    def __init__(self, burst: int, rate: float) -> None:
        self._burst, self._rate = burst, rate
        self._level, self._at = float(burst), time.monotonic()

    def take(self) -> bool:
        """True if one more may pass now."""
        now = time.monotonic()
        self._level, self._at = min(self._burst, self._level + (now - self._at) * self._rate), now
        if self._level < 1:
            return False
        self._level -= 1
        return True


class HttpPlayer:
    """Answers game servers. `answer` is called from many threads."""

    def __init__(self, settings: PlayerSettings, journal: Journal, nursery: Nursery | None = None) -> None:
        self._settings = settings
        self._journal = journal
        self._nursery = Nursery(settings.memory, settings.player) if nursery is None else nursery
        self._bucket = Bucket(settings.match_burst, settings.match_rate)
        self._lag = Delays(_SMALLEST_LAG)
        self._lock = threading.Lock()
        self._one_at_a_time = threading.Lock()
        self._session: Session | None = None
        self._ended: dict[str, str] = {}
        self._closing = threading.Event()
        self._ticker = threading.Thread(target=self._tick, name="ticker", daemon=True)
        self._ticker.start()

    def answer(self, body: bytes, headers: Mapping[str, str], arrival: float) -> tuple[bytes, Mapping[str, str]]:
        """The reply to a request that arrived at `arrival`, on the clock of `time.monotonic`. Never raises.

        A move comes with a header that tells what stood behind it, for masters that record it.
        """
        try:
            with self._one_at_a_time if len(body) > _LARGE else nullcontext():
                text, encoding = _decoded(body)
                message = parse_message(text)
            session = self._found(message.match) if isinstance(message, Play) else None
            reply = self._reply(message, headers.get("ggp-match-step"), arrival).encode(encoding)
            return reply, {} if session is None else {REPORT_HEADER: json.dumps(session.account())}
        except MessageError as error:
            self._journal.note("unclear", why=str(error))
            return f"( error {error} )".encode("ascii", "replace"), {}
        except Exception:  # a fault of ours: whoever asked gets an answer, and whoever reads the log the reason
            self._journal.note("fault", why=traceback.format_exc(limit=-8))
            return BUSY.encode(), {}

    def close(self) -> None:
        """Answer what waits with standby moves, and end all children."""
        self._closing.set()
        self._ticker.join()
        with self._lock:
            session, self._session = self._session, None
        if session is not None:
            session.close()
        self._nursery.close()

    def _reply(self, message: Message, label: str | None, arrival: float) -> str:
        if self._closing.is_set():
            return BUSY
        replies: dict[type[Message], Callable[[Any], str]] = {
            Info: lambda _: self._info(),
            Ping: lambda _: self._status(),
            Preview: lambda _: READY if self._status() == "available" else BUSY,
            Start: lambda start: self._start(start, arrival),
            Play: lambda play: self._play(play, label, arrival),
            Stop: self._stop,
            Abort: self._abort,
        }
        return replies[type(message)](message)

    def _status(self) -> str:
        session = self._session
        return "available" if session is None or session.is_stale(time.monotonic()) else BUSY

    def _info(self) -> str:
        status = self._status()
        if self._settings.info_style == "atom":
            return status
        return f"( ( name {self._settings.name} ) ( status {status} ) ( species alien ) )"

    def _start(self, start: Start, arrival: float) -> str:
        note = self._journal.note
        with self._lock:
            session = self._session
            known = session is not None and session.start == start
            if not known:
                if session is not None and not session.is_stale(time.monotonic()):
                    note("refused-start", match=start.match, why=f"busy with {session.start.match}")
                    return BUSY
                if not self._bucket.take():
                    note("refused-start", match=start.match, why="too many new matches")
                    return BUSY
                dropped, session = session, Session(start, arrival, self._settings, self._nursery, self._lag, note)
                self._session = session
        assert session is not None
        if not known:
            if dropped is not None:
                dropped.close()
            clocks = {"start_clock": start.start_clock, "play_clock": start.play_clock}
            note("start", match=start.match, role=start.role, bytes=len(start.rules), **clocks)
            session.open()
        if session.await_ready():
            return READY
        self._end(session)
        return BUSY

    def _play(self, play: Play, label: str | None, arrival: float) -> str:
        session = self._found(play.match)
        return BUSY if session is None else session.play(play, label, arrival)

    def _stop(self, stop: Stop) -> str:
        session = self._found(stop.match)
        if session is None:
            return self._ended.get(stop.match, BUSY)
        self._remember(stop.match, DONE)
        with self._lock:
            if self._session is session:
                self._session = None
        session.finish(stop)
        return DONE

    def _abort(self, abort: Abort) -> str:
        session = self._found(abort.match)
        if session is None:
            return self._ended.get(abort.match, BUSY)
        self._remember(abort.match, ABORTED)
        self._journal.note("abort", match=abort.match, step=session.step)
        self._end(session)
        return ABORTED

    def _found(self, match: str) -> Session | None:
        session = self._session
        return session if session is not None and session.start.match == match else None

    def _remember(self, match: str, reply: str) -> None:
        with self._lock:
            self._ended.pop(match, None)
            self._ended[match] = reply
            while len(self._ended) > _REMEMBERED:
                del self._ended[next(iter(self._ended))]

    def _end(self, session: Session) -> None:
        with self._lock:
            if self._session is session:
                self._session = None
        session.close()

    def _tick(self) -> None:
        while not self._closing.wait(_TICK):
            session = self._session
            now = time.monotonic()
            if session is not None:
                session.tick(now)
                if session.is_hopeless:
                    self._end(session)
            if session is None or session.spares_processors:
                self._nursery.refill()
            self._journal.show(f"{self._settings.name}: {self._status() if session is None else _shown(session, now)}")


def _shown(session: Session, now: float) -> str:
    """The status line of a match."""
    parts = [session.start.match, session.start.role, f"step {max(session.step, 0)}"]
    if session.is_waited_for and session.due is not None:
        parts.append(f"{max(0.0, session.due.answer_by - now):.0f} s left")
    else:
        parts.append("waiting for the server")
    for key, form in _SHOWN.items():
        value = session.report.get(key)
        if isinstance(value, int | float):
            parts.append(form.format(value))
    return "  ".join(parts)


def _decoded(body: bytes) -> tuple[str, str]:
    """The text of a message and its encoding. Bodies of forms are sometimes encoded as in a URL."""
    if body.lstrip()[:3] == b"%28":
        return unquote_plus(body.decode("latin-1")), "utf-8"
    try:
        return body.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        return body.decode("latin-1"), "latin-1"
