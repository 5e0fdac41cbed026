"""The phrasebook: every move of its games can be said, each in words of its own; and what is told of a broken one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gdl import Source, kif, load
from gdl.parser import parse_term
from gdl.scramble import scramble
from gdl.terms import arguments
from ggp.core.errors import UsageError
from ggp.core.library import library
from ggp.specialists.phrasebook import Phrases, phrasebook
from tests.helpers import GAMES, ROOT, terms

BOOK = phrasebook()


@pytest.mark.parametrize("name", BOOK.games)
def test_the_moves_of_a_play_are_said_in_words_of_their_own(name: str) -> None:
    phrases = BOOK.games[name]
    golden = (ROOT / "tests" / "golden" / "play" / f"{name}.txt").read_text(encoding="utf-8")
    lines = re.findall(r"^  (?:legal .*?|play): (.*?)(?: …)?$", golden, re.MULTILINE)
    moves = {*arguments(parse_term(f"(moves {' '.join(lines)})"))}
    said = {move: phrases.say(kif(move)) for move in moves}
    assert len(said) > 20
    assert [kif(move) for move, text in said.items() if text is None] == ["noop"]
    assert len({*said.values()}) == len(said)
    (game,) = (game for game in library() if game.name == name)
    assert list(phrases.roles) == list(game.roles)
    assert not phrases.resign or phrases.say(phrases.resign)


def test_moves_of_chess_and_go() -> None:
    chess, go = BOOK.games["chess"], BOOK.games["go_9x9"]
    moves = ["(move e 1 g 1)", "(promote a 7 b 8 knight)", "(promote a 7 a 8 queen)", "noop"]
    assert [chess.say(move) for move in moves] == ["e1g1", "a7b8n", "a7a8q", None]
    assert [go.say(move) for move in ("(place 8 1)", "(place 9 9)", "pass")] == ["h1", "j9", "pass"]


def test_a_game_under_other_names_is_known() -> None:
    original = load(GAMES / "go_6x6.kif")
    renamed = scramble(original.rules, 3, permute=True)
    spoken = BOOK.game(load(Source(renamed.text, "scrambled")), "gtp")
    moves = list(map(renamed.scramble, terms("(place 1 1)", "(place 6 5)", "pass", "noop")))
    assert [spoken.say(move) for move in moves] == ["a1", "f5", "pass", None]
    assert [spoken.colour(role) for role in (0, 1)] == ["black", "white"]
    assert spoken.understand("F5", moves) == moves[1]
    assert spoken.understand("resign", moves) == spoken.understand("PASS", moves) == moves[2]
    assert spoken.understand("a2", moves) is spoken.understand("", moves) is None


def test_a_game_that_no_program_plays() -> None:
    with pytest.raises(UsageError, match=r"no gtp program plays this game: .* talk about go_6x6, .* none of them"):
        BOOK.game(load(GAMES / "breakthrough.kif"), "gtp")


def test_what_cannot_be_said() -> None:
    phrases = Phrases("gtp", {}, {"(place ?x ?y)": "?x?y"}, words={"x": {"1": "a"}})
    with pytest.raises(UsageError, match=r"there is no phrase for the move \(put 1 1\)"):
        phrases.say("(put 1 1)")
    with pytest.raises(UsageError, match=r"2 is no word for \?x"):
        phrases.say("(place 2 1)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "No such file"),
        ("[games.x\n", "specialists.toml: "),
        ("[games.x]\nprotocol = 'gtp'\n", r"\[games.x\]: missing 2 required positional arguments: 'roles' and 'moves'"),
        ("[programs.x]\nprotocol = 'gtp'\ncomand = []\n", r"\[programs.x\]: got an unexpected keyword argument 'comand'"),
        ("[programs.x]\nprotocol = 'gmp'\ncommand = []\n", r"\[programs.x\]: there is no protocol 'gmp'"),
    ],
)
def test_a_phrasebook_that_is_broken(text: str | None, message: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "specialists.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        phrasebook(tmp_path)
