"""One player process plays match after match under a game master with bad manners: never a fault, never more memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ggp.match.client import Address
from ggp.match.ownplayers import OwnPlayer, own_players
from tests.faulty_master import Ill, endure, memory
from tests.helpers import GAMES

QUICK = ["nim", "roshambo", "lights_out", "monty_hall"]
MANY = [
    "tic_tac_toe", "connect_four", "breakthrough", "knightthrough", "othello", "hex_5x5", "nim", "chomp", "kalah",
    "pentago", "roshambo", "prisoners_dilemma", "bidding_tic_tac_toe", "tic_tac_toe_three_players", "chinese_checkers_3",
    "eight_puzzle", "lights_out", "towers_of_hanoi", "blocks_world", "peg_solitaire", "monty_hall", "dice_race",
    "kriegspiel_tic_tac_toe", "quarto", "pawn_whopping",
]  # fmt: skip


@pytest.fixture
def random_player() -> Iterator[OwnPlayer]:
    with own_players([["--player", "random", "--name", "enduring"]]) as (player,):
        yield player


@pytest.fixture
def searching_player() -> Iterator[OwnPlayer]:
    with own_players([["--name", "enduring"]]) as (player,):
        yield player


def paths(names: list[str]) -> list[Path]:
    return [GAMES / f"{name}.kif" for name in names]


def test_a_few_matches_under_a_bad_master(random_player: OwnPlayer) -> None:
    ill = Ill(substitute=0.3, retry=0.3, lose_stop=0.3, abandon=0.2)
    endure(Address.parse(random_player.url()), paths(QUICK), len(QUICK), 5, ill)
    assert ill.faults == []
    assert min(ill.happened[what] for what in ("substitute", "retry", "lose_stop")) > 0


@pytest.mark.slow
@pytest.mark.timeout(10_000)
@pytest.mark.parametrize("count", [200])
def test_two_hundred_matches_of_many_games(count: int, searching_player: OwnPlayer) -> None:
    ill = Ill()
    address = Address.parse(searching_player.url())
    assert len(MANY) >= 20
    endure(address, paths(MANY), count // 4, 1, ill)
    before = memory(searching_player.pid)
    endure(address, paths(MANY), count - count // 4, 2, ill)
    after = memory(searching_player.pid)
    assert ill.faults == []
    assert set(ill.happened) >= {"substitute", "retry", "lose_stop", "abandon", "delay"}
    assert after < before * 1.25 + (64 << 20), f"{before >> 20} MB grew to {after >> 20} MB"
