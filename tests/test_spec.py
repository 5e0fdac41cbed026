"""How specialists are written."""

from __future__ import annotations

import pytest

from ggp.core.errors import UsageError
from ggp.players.specs import is_address, is_specialist
from ggp.specialists.spec import Spec, read_spec


def test_what_is_written() -> None:
    text = "gtp:gnugo,level=10,seconds=0.5,--never-resign,--cache-size=8"
    arguments = ("--never-resign", "--cache-size=8")
    assert read_spec(text) == Spec(text, "gtp", "gnugo", arguments, {"level": "10"}, 0.5, {})
    text = "uci:./my engine,Skill Level=3,depth=5,nodes=1000,book.bin"
    limits = {"depth": 5, "nodes": 1000}
    assert read_spec(text) == Spec(text, "uci", "./my engine", ("book.bin",), {"Skill Level": "3"}, None, limits)
    assert read_spec("gtp:x,depth=5").options == {"depth": "5"}  # a word of the program


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gtp:", "a program should follow, as in gtp:gnugo"),
        ("xboard:gnuchess", "a program should follow"),
        ("gtp:gnugo,", "'' should be an option of its own"),
        ("gtp:gnugo,=3", "'=3' should be an option of its own"),
        ("gtp:gnugo,level=1,level=2", "'level=2' should be an option of its own"),
        ("uci:stockfish,seconds=0", "seconds=0 makes no sense"),
        ("uci:stockfish,seconds=inf", "seconds=inf makes no sense"),
        ("uci:stockfish,seconds=long", "seconds=long makes no sense"),
        ("uci:stockfish,depth=0", "depth=0 makes no sense"),
        ("uci:stockfish,nodes=many", "nodes=many makes no sense"),
    ],
)
def test_what_makes_no_sense(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_spec(text)


def test_programs_are_told_from_addresses() -> None:
    for text in ("gtp:gnugo", "uci:engine,host:9147", "gtp:http://x"):
        assert is_specialist(text) and not is_address(text)
    for text in ("gtp", "ucd:c=3", "localhost:9147"):
        assert not is_specialist(text)
