"""Grounding: limits, meaning, and the same bytes twice."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from itertools import pairwise
from threading import Event

import pytest

from gdl import GroundingError, load
from gdl.grounding import GroundLimits, ground, ground_here, process
from gdl.grounding.guard import TooLargeError
from gdl.grounding.strata import negative_cycle
from tests.helpers import GAMES, ROOT, TINY, ruleset

WIDE = (
    TINY
    + "".join(f"(digit {d})" for d in range(10))
    + (
        "(<= (legal me (dial ?a ?b ?c ?d ?e ?f ?g ?h)) (digit ?a) (digit ?b) (digit ?c) (digit ?d)"
        " (digit ?e) (digit ?f) (digit ?g) (digit ?h))"
    )
)


def test_a_tiny_game() -> None:
    program = ground_here(ruleset(TINY))
    assert program.roles == ("me",)
    assert [base.fluent for base in program.bases] == ["(on 1)", "(on 2)"]
    assert program.initial == {0}
    assert [(pair.role, pair.move) for pair in program.inputs] == [(0, "wait")]
    assert [(goal.role, goal.value) for goal in program.goals] == [(0, 100)]


def test_in_a_process_of_its_own_it_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    game = load(GAMES / "connect_four.kif")
    stages: list[str] = []
    here = ground(game, report=stages.append)
    assert stages[0] == "grounding"
    assert "atoms" in stages[1]
    for name in ("_LITERALS_HERE", "_WORK_HERE", "_WORDS_HERE"):  # what is split here or there, and a tape that is full
        with monkeypatch.context() as patch:
            patch.setattr(process, name, 100)
            with pytest.raises(TooLargeError):
                ground_here(game)
            assert ground(game) == here


GROWING = TINY + "(<= (deep ?x) (true (on ?x))) (<= (deep (s ?x)) (deep ?x)) (<= (legal me jump) (deep ?x))"


@pytest.mark.parametrize("text", [WIDE, GROWING, TINY + "(<= (legal me jump) (true (on 1)))" * 3_000])
def test_what_is_not_surely_small_is_not_ground_here(text: str) -> None:
    with pytest.raises(TooLargeError):
        ground_here(ruleset(text))


def test_terms_that_grow_meet_a_limit() -> None:
    with pytest.raises(GroundingError, match=r"too many rules|takes more than"):
        ground(ruleset(GROWING), GroundLimits(rules=20_000, seconds=20))


def test_a_description_larger_than_a_pipe_holds() -> None:
    facts = "".join(f"(extra number{n} number{n + 1})\n" for n in range(6_000))
    game = ruleset(TINY + facts)
    assert len(game.source.text) > 2 * 65_536
    assert ground(game, GroundLimits(seconds=30)).roles == ("me",)


def test_wide_rules_are_split() -> None:
    """Eight variables that are joined pairwise: 10^8 instances without splitting."""
    digits = "".join(f"(digit {d})" for d in range(10))
    names = [f"?x{i}" for i in range(8)]
    chain = " ".join(f"(true (link {a} {b}))" for a, b in pairwise(names))
    links = "".join(f"(init (link {a} {b}))" for a in range(10) for b in range(10))
    text = (
        TINY + digits + links + f"(<= (next (link ?a ?b)) (true (link ?a ?b)))(<= (legal me jump) {chain} (true (on 1)))"
    )
    assert len(ground_here(ruleset(text)).rules) < 20_000


@pytest.mark.parametrize(
    ("limits", "complaint"),
    [
        (GroundLimits(seconds=1), "takes more than 1 s of processor time"),
        (GroundLimits(bytes=300 << 20, seconds=100), "GB"),
        (GroundLimits(rules=3), "limit of 3"),
    ],
)
def test_limits(limits: GroundLimits, complaint: str) -> None:
    with pytest.raises(GroundingError, match=complaint):
        ground(ruleset(WIDE if limits.rules > 3 else TINY), limits)


def test_what_cannot_be_listed_is_named() -> None:
    unlisted = "(<= (any ?x) (role me)) (<= (legal me jump) (any ?y) (not (true (on ?y))))"
    with pytest.raises(GroundingError, match=r"nothing binds \?x in a rule for \(any \?x\)"):
        ground_here(ruleset(TINY + unlisted))


def test_it_can_be_stopped_from_outside() -> None:
    stop = Event()
    stop.set()
    with pytest.raises(GroundingError, match="was stopped"):
        ground(ruleset(WIDE), stop=stop)


def test_negation_of_an_unbound_variable_means_no_value() -> None:
    text = TINY + "(<= (legal me jump) (not (true (gone ?x)))) (<= (next (gone 5)) (does me wait))"
    program = ground_here(ruleset(text))
    (jump,) = [pair for pair in program.inputs if pair.move == "jump"]
    assert jump.legal


def test_negative_cycles_of_ground_atoms_are_found() -> None:
    assert negative_cycle([(1, (-2,)), (2, (-1,))]) == [1, 2]
    assert negative_cycle([(1, (-2,)), (2, (3,)), (3, ())]) == []
    assert negative_cycle([(1, (2,)), (2, (1,))]) == []


def test_terms_nested_too_deep_are_refused() -> None:
    deep = "(s " * 300 + "0" + ")" * 300
    with pytest.raises(GroundingError, match="deep"):
        ground(ruleset(TINY + f"(init (on {deep}))"))


def test_the_same_bytes_across_hash_seeds() -> None:
    script = (
        "import pickle, sys; from gdl import load; from gdl.grounding import ground_here;"
        "sys.stdout.buffer.write(repr(ground_here(load('games/othello.kif'))).encode())"
    )
    digests = {
        hashlib.sha256(
            subprocess.run(
                [sys.executable, "-c", script],
                cwd=ROOT,
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                check=True,
            ).stdout
        ).hexdigest()
        for seed in ("0", "77")
    }
    assert len(digests) == 1
