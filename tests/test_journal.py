"""The log is one JSON object a line; the status line stands in terminals only; a full disk ends no match."""

from __future__ import annotations

import io
from pathlib import Path

from ggp.match.journal import Journal
from tests.player_fakes import log_lines


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_notes_are_lines_of_json_and_people_see_them_if_they_want(tmp_path: Path) -> None:
    for verbose in (False, True):
        screen = io.StringIO()
        journal = Journal(tmp_path / "log", verbose, screen)
        journal.note("start", match="M", text="two\nlines", long="x" * 1000)
        journal.close()
        journal.note("after", match="M")
        assert ("start match=M text=two lines long=xxx" in screen.getvalue()) is verbose
        assert "x" * 161 not in screen.getvalue()
    first, second = log_lines(tmp_path / "log")
    assert first["event"] == second["event"] == "start"
    assert first["text"] == "two\nlines" and first["time"].endswith("+00:00")


def test_the_status_line_is_replaced_and_stays_below_the_notes() -> None:
    screen = Terminal()
    journal = Journal(None, True, screen)
    journal.show("step 1")
    journal.show("step 1")
    journal.note("answer")
    journal.show("step 2" + "x" * 500)
    journal.close()
    shown = screen.getvalue().split("\r\x1b[K")
    assert shown[1] == "step 1" and shown[2].endswith("answer \nstep 1") and shown[3].startswith("step 2")
    assert len(shown[3]) < 120 and shown[-1] == ""
    quiet = io.StringIO()
    Journal(None, False, quiet).show("step 1")
    assert quiet.getvalue() == ""


def test_a_full_disk_is_told_once() -> None:
    screen = io.StringIO()
    journal = Journal(Path("/dev/full"), False, screen)
    journal.note("one")
    journal.note("two")
    assert screen.getvalue().count("the log cannot be written any more: No space left on device") == 1
