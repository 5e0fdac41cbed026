"""Merging and resubstitution by proof: fewer gates, and nothing else on any reachable position and legal joint move."""

from __future__ import annotations

from functools import cache

import pytest

from ggp.circuits.build import build_factored
from ggp.circuits.compile import roles_of
from ggp.circuits.emit import emit
from ggp.circuits.graph import Net
from ggp.circuits.invariants import Samples, sample
from ggp.circuits.rebuild import rebuild
from ggp.circuits.resub import Outcome, Resubstitution, reduce_by_proof
from ggp.circuits.solver import Care
from ggp.circuits.work import Work
from tests.small_programs import care_of, disagreements, program_of

NAMES = ["sliding", "tic_tac_toe", "nim", "eight_puzzle", "monty_hall", "roshambo"]


@cache
def factored(name: str) -> tuple[Net, Samples]:
    """A net, and positions of random playouts."""
    program = program_of(name)
    net = build_factored(program)
    return net, sample(emit(program, net), words=2, steps=60, keep=512, seed=1, work=Work(1_000_000))


def reduced(name: str, care: Care, work: int = 3_000_000, *, pairs: bool = True) -> tuple[Net, Outcome]:
    net, samples = factored(name)
    return reduce_by_proof(rebuild(net), roles_of(program_of(name)), care, samples, Work(work), pairs=pairs)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_changes_that_can_be_reached(name: str) -> None:
    for care in (Care(), care_of(name)):
        for pairs in (False, True):
            assert list(disagreements(name, reduced(name, care, pairs=pairs)[0])) == []


@pytest.mark.parametrize("work", [1_000, 10_000, 100_000])
def test_what_is_cut_off_is_sound(work: int) -> None:
    assert list(disagreements("sliding", reduced("sliding", care_of("sliding"), work)[0])) == []


def test_what_is_equal_on_reachable_positions_is_merged() -> None:
    before = factored("sliding")[0].size()
    merged, outcome = reduced("sliding", care_of("sliding"), pairs=False)
    both, more = reduced("sliding", care_of("sliding"))
    assert both.size() < merged.size() < before
    assert outcome.merged and more.rebuilt and not outcome.rebuilt


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("name", ["tic_tac_toe", "nim", "eight_puzzle"])
def test_samples_alone_prove_nothing(name: str, pairs: bool) -> None:
    """From one sample nearly all gates look equal, or like a pair of others; every wrong guess has to be refuted."""
    net, samples = factored(name)
    few = Samples(samples.states[:, :1], samples.moving[:1], samples.moves[:, :1])
    run = Resubstitution(rebuild(net), roles_of(program_of(name)), care_of(name), few, Work(3_000_000))
    (run.resubstitute if pairs else run.merge)()
    assert run.outcome.refuted > 10
    assert list(disagreements(name, run.finish())) == []


def test_nets_with_cycles_stay_as_they_are() -> None:
    net = build_factored(program_of("hex_5x5"))
    samples = factored("sliding")[1]
    assert reduce_by_proof(net, [], Care(), samples, Work(1), pairs=True) == (net, Outcome())
