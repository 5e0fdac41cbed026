"""The line that says what is being done: in place on a terminal, nowhere else unless it is asked for."""

from __future__ import annotations

import io
import itertools
import time
from collections.abc import Callable

import pytest

from ggp.core.progress import Rhythm, Status, duration
from ggp.lab.plan import Job
from ggp.lab.progress import Screen

WIPE = "\r\x1b[K"


class Terminal(io.StringIO):
    """A stream that takes itself for a terminal of 80 columns."""

    def isatty(self) -> bool:
        return True

    def shown(self) -> str:
        """What stands on the line now."""
        return self.getvalue().rpartition(WIPE)[2]


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")


def until(so: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not so():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_on_a_terminal_each_text_replaces_the_one_before_and_nothing_stays() -> None:
    screen = Terminal()
    with Status(stream=screen) as status:
        status.show("grounding")
        assert screen.shown() == "grounding"
        status.about("nim")("merge, 1,234 gates")
        assert screen.shown() == "nim: merge, 1,234 gates"
        status.show("")
        assert screen.shown() == ""
        status.show("emit")
    assert screen.shown() == "" and "\n" not in screen.getvalue()
    status.show("too late")
    assert "too late" not in screen.getvalue()


def test_what_is_said_stays_above_the_line() -> None:
    screen = Terminal()
    with Status(stream=screen) as status:
        status.show("searching")
        status.say("ggp: a worker was lost")
        assert screen.getvalue().endswith(f"{WIPE}ggp: a worker was lost\n{WIPE}searching")


def test_a_long_text_stays_on_one_line() -> None:
    screen = Terminal()
    with Status(stream=screen) as status:
        status.show("x" * 200)
        assert screen.shown() == "x" * 79


def test_a_terminal_sees_the_time_pass() -> None:
    screen = Terminal()
    with Status(stream=screen) as status:
        status.show("grounding")
        until(lambda: screen.shown() == "grounding (2 s)")


@pytest.mark.parametrize("terminal", [False, True])
def test_without_a_terminal_or_a_wish_nothing_is_written(terminal: bool) -> None:
    stream = Terminal() if terminal else io.StringIO()
    with Status(False if terminal else None, stream) as status:
        assert not status.on
        status.show("grounding")
    assert stream.getvalue() == ""


def test_a_dumb_terminal_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert not Status(stream=Terminal()).on


def test_elsewhere_each_text_is_written_once_where_it_is_asked_for() -> None:
    stream = io.StringIO()
    with Status(True, stream) as status:
        for text in ("grounding", "grounding", "", "emit, 5 gates"):
            status.show(text)
        status.say("ggp: done")
    assert stream.getvalue() == "grounding\nemit, 5 gates\nggp: done\n"


def test_lines_come_at_growing_intervals_and_sooner_when_something_changed() -> None:
    pace = Rhythm(first=0.5, most=10, now=0.0)
    due = [t / 10 for t in range(1000) if pace.due(now=t / 10)]
    gaps = [b - a for a, b in itertools.pairwise(due)]
    assert due[:4] == [0.5, 1.0, 2.0, 4.0] and gaps == sorted(gaps) and max(gaps) == pytest.approx(10, abs=0.2)
    assert not pace.due(changed=True, now=due[-1] + 3.0)
    assert pace.due(changed=True, now=due[-1] + 3.5)


def test_durations_in_words() -> None:
    assert [duration(s) for s in (0.4, 42, 190, 7500)] == ["0 s", "42 s", "3 min 10 s", "2 h 5 min"]


def test_a_run_shows_how_far_it_is_how_it_stands_and_how_long_it_takes() -> None:
    screen = Terminal()
    jobs = [Job(str(i), "group", {}) for i in range(4)]
    with Screen("tournament", jobs, 2, lambda: 1, lambda: "6 matches: a 75.0 %", stream=screen) as run:
        assert screen.shown() == "tournament: 2 of 6 jobs, 6 matches: a 75.0 %"
        time.sleep(0.55)
        run.done(jobs[0], 20.0)
        assert screen.shown().startswith("tournament: 3 of 6 jobs, about 1 min 0 s left, 6 matches: a 75.0 %")
        run.say("a worker was lost")
        assert f"{WIPE}ggp: a worker was lost\n" in screen.getvalue()
    assert screen.shown() == ""


def test_a_run_without_a_terminal_says_only_what_must_be_said(capsys: pytest.CaptureFixture[str]) -> None:
    jobs = [Job("0", "group", {})]
    with Screen("nim", jobs, 0, lambda: 1, lambda: pytest.fail("nobody looks")) as run:
        run.done(jobs[0], 1.0)
        run.say("a worker was lost")
    assert capsys.readouterr().err == "ggp: a worker was lost\n"
