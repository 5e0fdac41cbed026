"""Renamed games are the same games."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl import Source, load, parse
from gdl.laws.keywords import RESERVED
from gdl.scramble import Scrambled, scramble
from gdl.terms import Symbol, kif, walk
from ggp.machines.machine import by_text
from tests.conftest import Open
from tests.helpers import GAMES, TINY, games, ruleset, rulesheets, some

PLAYED = ["tic_tac_toe", "nim", "bidding_tic_tac_toe", "hex_5x5", "monty_hall"]


@pytest.mark.parametrize("path", some([*games(), *rulesheets()]))
def test_names_come_back(path: Path) -> None:
    rules = parse(Source.read(path)).rules
    made = scramble(rules, 1, late_keywords=True)
    assert len(set(made.renamed.values())) == len(made.renamed)
    assert not set(made.renamed.values()) & set(made.renamed)
    assert not set(made.renamed.values()) & RESERVED
    for rule, other in zip(rules, made.rules, strict=True):
        assert made.restore(other.head) == rule.head
        assert made.scramble(rule.head) == other.head
    assert parse(made.text).rules == made.rules


def test_integers_and_keywords_keep_their_names() -> None:
    rules = parse(TINY + "(base (on 1)) (input me wait) (role random) (score -5 x5 10)").rules
    kept = [
        "base",
        "init",
        "input",
        "goal",
        "legal",
        "next",
        "role",
        "terminal",
        "true",
        "does",
        "random",
        "1",
        "2",
        "100",
        "-5",
        "10",
    ]
    assert not set(kept) & scramble(rules, 1).renamed.keys()
    assert {"me", "wait", "on", "score", "x5"} <= scramble(rules, 1).renamed.keys()
    assert {"base", "input", "random"} <= scramble(rules, 1, late_keywords=True).renamed.keys()


def test_a_seed_gives_the_same_names_again_and_another_seed_others() -> None:
    rules = parse(TINY).rules
    assert scramble(rules, 1).text == scramble(rules, 1).text
    assert scramble(rules, 1).text != scramble(rules, 2).text


def test_permuting_keeps_the_rules_and_the_order_of_roles() -> None:
    rules = load(GAMES / "tic_tac_toe.kif").rules
    plain, permuted = scramble(rules, 3), scramble(rules, 3, permute=True)
    assert plain.rules != permuted.rules

    def tidy(made: Scrambled) -> list[tuple[str, list[str]]]:
        return sorted((kif(rule.head), sorted(map(str, rule.body))) for rule in made.rules)

    assert tidy(plain) == tidy(permuted)
    assert [kif(r.head) for r in plain.rules if r.head.name == "role"] == [
        kif(r.head) for r in permuted.rules if r.head.name == "role"
    ]


def test_no_name_of_the_game_shows_through() -> None:
    rules = load(GAMES / "tic_tac_toe.kif").rules
    made = scramble(rules, 1)
    left = {part.name for rule in made.rules for part in walk(rule.head)} & {
        part.name for rule in rules for part in walk(rule.head)
    }
    assert all(name in RESERVED or name.isdigit() for name in left)


@pytest.mark.parametrize("permute", [False, True], ids=["in order", "permuted"])
@pytest.mark.parametrize("name", PLAYED)
def test_a_renamed_game_is_played_the_same(name: str, permute: bool, prolog: Open) -> None:
    original = load(GAMES / f"{name}.kif")
    made = scramble(original.rules, 5, permute=permute)
    machine, other = prolog(original), prolog(ruleset(made.text))
    assert [made.restore(Symbol(role)).name for role in other.roles] == list(machine.roles)
    assert machine.perft(machine.initial(), 2) == other.perft(other.initial(), 2)
    position, renamed = machine.initial(), other.initial()
    for number in range(30):
        assert by_text(map(made.restore, other.fluents(renamed))) == machine.fluents(position)
        situation, shadow = machine.situation(position), other.situation(renamed)
        assert (situation.terminal, situation.goals) == (shadow.terminal, shadow.goals)
        assert [by_text(map(made.restore, moves)) for moves in shadow.legal] == list(situation.legal)
        if situation.terminal:
            break
        joint = tuple(moves[number % len(moves)] for moves in situation.legal)
        position, renamed = machine.next(position, joint), other.next(renamed, tuple(map(made.scramble, joint)))
    assert number > 0
