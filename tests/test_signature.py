"""The signature of all searches changes when they do, and not otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from ggp.cli import main
from ggp.core.library import library
from ggp.lab.signature import Case, cases, combined, results

SMALL = Case("tic_tac_toe", "ucd", 1, 150, 2, 8)


def of(*wanted: Case) -> str:
    return combined(list(results(wanted)))


def test_the_same_searches_give_the_same_signature() -> None:
    assert of(SMALL) == of(SMALL)
    assert of(SMALL, SMALL) not in (of(SMALL), of(SMALL, SMALL, SMALL))


@pytest.mark.parametrize(
    "other",
    [
        replace(SMALL, player="ucd:c=39"),
        replace(SMALL, player="ucd:d1=0"),
        replace(SMALL, player="ucd:solver=false"),
        replace(SMALL, simulations=151),
        replace(SMALL, steps=1),
        replace(SMALL, slots=2),
    ],
)
def test_other_searches_give_another_signature(other: Case) -> None:
    assert of(SMALL) != of(other)


def test_how_much_memory_there_is_does_not_matter_while_there_is_enough() -> None:
    assert of(SMALL) == of(replace(SMALL, memory=16))


def test_the_list_is_about_games_of_the_library_of_every_kind() -> None:
    kinds = {game.name: game.kind for game in library()}
    assert {kinds[case.game] for case in cases()} == {"turns", "simultaneous", "one player", "chance"}


def test_one_case_runs_out_of_memory() -> None:
    crowded = [case for case in cases() if case.memory == 1]
    assert all(result.recycled > 0 for result in results(crowded))


@pytest.mark.parametrize("more", [["games/nim.kif"], ["--all"], ["--markdown"]])
def test_the_signature_has_its_own_list(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--signature", *more]) == 2
    assert "has its own list of games" in capsys.readouterr().err


@pytest.mark.slow
def test_the_signature_is_the_same_for_every_hash_seed() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-m", "ggp.cli", "bench", "--signature"], env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True, timeout=300,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(printed) == 1
    assert printed.pop().splitlines()[-1].startswith("signature ")
