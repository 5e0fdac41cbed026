"""Messages of game servers: every form that is sent, printed and read again, and clear errors for the rest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl import Source, load, parse_term
from ggp.core.errors import MessageError
from ggp.match.messages import Abort, Info, Message, Ping, Play, Preview, Start, Stop, joint_move, parse_message
from tests.helpers import TINY, game_files, terms

MESSAGES: list[tuple[str, Message]] = [
    ("( INFO )", Info()),
    ("( PING )", Ping()),
    ("( PREVIEW ((role me)) 7 )", Preview("(role me)", 7)),
    ("( START Base.1 White ((role White)) 30 15 )", Start("Base.1", "White", "(role White)", 30, 15)),
    ("( PLAY m.1 NIL )", Play("m.1", None)),
    ("( PLAY m.1 ((mark 1 2) noop) )", Play("m.1", terms("(mark 1 2)", "noop"))),
    ("( PLAY m.1 () )", Play("m.1", ())),
    ("( PLAY m.1 0 NIL NIL )", Play("m.1", None, 0, None)),
    (
        "( PLAY m.1 3 (mark 1 2) ((yours o) clear) )",
        Play("m.1", terms("(yours o)", "clear"), 3, parse_term("(mark 1 2)")),
    ),
    ("( STOP m.1 NIL )", Stop("m.1", None)),
    ("( STOP m.1 (noop (mark 1 2)) )", Stop("m.1", terms("noop", "(mark 1 2)"))),
    ("( STOP m.1 4 noop () )", Stop("m.1", (), 4, parse_term("noop"))),
    ("( ABORT m.1 )", Abort("m.1")),
]

TOLERATED: list[tuple[str, Message]] = [
    ("", Info()),
    (" \r\n\t ", Info()),
    ("info", Info()),
    ("(Info)", Info()),
    ("(ping please)", Ping()),
    ("(start m r ((role r)) 1 2 extra (even a list) 7)", Start("m", "r", "(role r)", 1, 2)),
    ("(START m r () 1 2)", Start("m", "r", "", 1, 2)),
    ("(START m r () 1.5 0.25)", Start("m", "r", "", 1.5, 0.25)),
    ("(pReViEw ((role r)) 2 extra)", Preview("(role r)", 2)),
    ("(PLAY m)", Play("m", None)),
    ("(play m nil extra)", Play("m", None)),
    ("(PLAY m (MARK (noop)))", Play("m", terms("mark", "noop"))),
    ("(PLAY m noop)", Play("m", terms("noop"))),
    ("(PLAY m 1 nil nil extra)", Play("m", None, 1, None)),
    ("(PLAY\nm ; a comment )\n(noop))", Play("m", terms("noop"))),
    ("(abort m extra)", Abort("m")),
    ("(abort m) (abort n)", Abort("m")),
]

REFUSED = [
    ("(", "<message>:1:1: this list is not closed"),
    ("(PLAY m (a)", "<message>:1:1: this list is not closed"),
    ("(PLAY m a))", "<message>:1:11: this parenthesis closes nothing"),
    ("()", "<message>:1:1: a message begins with a command"),
    ("((INFO))", "<message>:1:1: a message begins with a command"),
    ("(HELLO)", "<message>:1:2: unknown command 'HELLO'; known are: INFO, "),
    ("(\u00dcber)", "<message>:1:2: unknown command '\\xdcBER'"),
    ("(PLAY)", "<message>:1:6: PLAY needs a match id"),
    ("(PLAY (m) nil)", "<message>:1:7: a word was expected here, not a list"),
    ("(PLAY m\n(?x))", "<message>:2:2: a move or percept holds no variables"),
    ("(PLAY m ((())))", "<message>:1:10: a move or percept was expected here"),
    ("(START m r ((role r)) 1)", "<message>:1:24: START needs a match id, a role"),
    ("(START m r role 1 2)", "<message>:1:12: the rules were expected here, as a list"),
    ("(START m r () 1.x 2)", "<message>:1:15: a whole number was expected here, not '1.x'"),
    ("(START m r () .5 2)", "<message>:1:15: a whole number was expected here, not '.5'"),
    ("(START m r () -1 2)", "<message>:1:15: a whole number"),
    ("(START m r () 1 9999999999)", "<message>:1:17: a whole number"),
    ("(PREVIEW ((role r)))", "<message>:1:20: PREVIEW needs the rules and a clock"),
    ("(" * 20_000, "<message>:1:10001: lists are nested more than 10,000 deep here"),
    ("(PLAY m (" + "a " * 30_000 + "))", "a list of more than 20,000 parts"),
    ("(PLAY m (" + "(a)" * 30_000 + "))", "a list of more than 20,000 parts"),
    ("(PLAY m ((f " + "aaaaaaaaa " * 110_000 + ")))", "<message>:1:1: only START and PREVIEW may be longer than"),
    ("(STOP m " + "(" * 20_000, "lists are nested more than 10,000 deep here"),
]


@pytest.mark.parametrize(("text", "message"), MESSAGES)
def test_every_message_is_printed_and_read(text: str, message: Message) -> None:
    assert parse_message(text) == message
    assert message.text() == text
    assert parse_message(text.lower()).text().lower() == text.lower()


@pytest.mark.parametrize(("text", "message"), TOLERATED)
def test_what_servers_send_besides_is_understood(text: str, message: Message) -> None:
    assert parse_message(text) == message


@pytest.mark.parametrize(("text", "complaint"), REFUSED)
def test_what_has_no_meaning_is_refused_with_its_place(text: str, complaint: str) -> None:
    with pytest.raises(MessageError) as caught:
        parse_message(text)
    assert complaint in str(caught.value)
    assert str(caught.value).isascii() and len(str(caught.value)) < 200


def test_ids_and_roles_keep_their_spelling() -> None:
    start = parse_message("(start Match.X WHITE ((role WHITE) (legal WHITE (Move A))) 1 1)")
    assert isinstance(start, Start)
    assert (start.match, start.role) == ("Match.X", "WHITE")
    assert "(Move A)" in start.rules


def test_rules_with_comments_survive_the_wire() -> None:
    rules = "; a game\n" + TINY + "; the end"
    sent = Start("m", "me", rules, 1, 2).text()
    assert "\n" not in sent
    read = parse_message(sent)
    assert isinstance(read, Start)
    assert [str(rule) for rule in load(Source(read.rules)).rules] == [str(rule) for rule in load(Source(rules)).rules]


def test_a_real_game_survives_the_wire() -> None:
    for path in game_files()[:10]:
        rules = path.read_text(encoding="utf-8")
        read = parse_message(Start("m", "r", rules, 1, 2).text())
        assert isinstance(read, Start)
        assert load(Source(read.rules)).rules == load(path).rules


def test_a_single_role_may_get_its_move_without_a_list() -> None:
    for text in ("(PLAY m ((mark 1 2)))", "(PLAY m (mark 1 2))"):
        play = parse_message(text)
        assert isinstance(play, Play) and play.seen is not None
        assert joint_move(play.seen, 1) == terms("(mark 1 2)")
    assert joint_move(terms("noop"), 1) == terms("noop")
    with pytest.raises(ValueError, match="1 moves for 2 roles"):
        joint_move(terms("noop"), 2)
    with pytest.raises(ValueError, match="2 moves for 1 roles"):
        joint_move(terms("(f a)", "b"), 1)


@given(st.text(alphabet="() \n;?naPLYSTOm012ü", max_size=60))
def test_any_text_is_a_message_or_an_error(text: str) -> None:
    for whole in (text, f"(PLAY m {text})", f"(START m r {text} 1 1)"):
        try:
            message = parse_message(whole)
        except MessageError:
            continue
        assert parse_message(message.text()) == message
