"""What a player did wrong, in the words of records, and safe to print."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ggp.match.faults import Fault, FaultKind, illegal, printable


def test_codes_as_records_have_them() -> None:
    assert Fault(FaultKind.LATE, "too late").code == "TO"
    assert Fault(FaultKind.BROKEN, "no connection", "ignored").code == "CE"
    assert illegal("(mark 9 9)", "x").code == "IL (mark 9 9)"
    assert illegal("", "x").code == "IL"


def test_an_illegal_answer_is_told_with_its_role() -> None:
    assert illegal("(mark 9 9)", "x").message == "(mark 9 9) is not legal for x"
    assert illegal(" \n ", "o").message == "an empty answer is not legal for o"


@given(st.text(max_size=2000))
def test_anything_is_printable_on_one_short_line(text: str) -> None:
    line = printable(text)
    assert len(line) <= 100
    assert line.isprintable() and line == line.strip()
    assert illegal(text, "x").code.isprintable()


def test_what_is_cut_off_says_so() -> None:
    assert printable("a" * 100) == "a" * 100
    assert printable("a" * 101) == "a" * 99 + "…"
