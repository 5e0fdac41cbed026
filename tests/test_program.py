"""Ground programs: rules in arrays are the same as pairs, and what is pickled comes back."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from gdl.grounding import ground_here
from gdl.groundrules import GroundRules
from tests.helpers import TINY, ruleset

PAIRS = ((3, (1, -2)), (4, ()), (3, (-1,)))


def test_rules_in_arrays_are_a_sequence_of_pairs() -> None:
    rules = GroundRules.of(PAIRS)
    assert tuple(rules) == PAIRS
    assert rules == PAIRS
    assert rules == PAIRS
    assert rules == GroundRules.of(rules)
    assert rules != GroundRules.of(PAIRS[:2])
    assert rules != list(PAIRS)
    assert (len(rules), rules[1], rules[-1], rules[1:]) == (3, PAIRS[1], PAIRS[2], PAIRS[1:])
    assert hash(rules) == hash(PAIRS)
    with pytest.raises(IndexError):
        rules[3]
    assert np.asarray(rules.literals).dtype == np.int32


def test_a_pickled_program_is_the_same() -> None:
    program = ground_here(ruleset(TINY))
    assert pickle.loads(pickle.dumps(program)) == program
    assert replace(program, rules=tuple(program.rules)) == program
    empty = replace(program, goals=(), sees=(), bases=(), inputs=())
    assert pickle.loads(pickle.dumps(empty)) == empty
