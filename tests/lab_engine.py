"""A double of the match-playing engine: a stronger cell wins more often, by its name. For tests of plans and reports."""

from __future__ import annotations

import random
from collections.abc import Mapping

from ggp.lab.plan import Json, Texts

STRENGTH = {"uct": 0.5, "update-all": 0.55, "(0,0,0)": 0.4}


def perform(work: Mapping[str, Json], texts: Texts) -> Json:
    assert set(texts) == {work["game"]}
    found = []
    for name, number in work["groups"]:
        generator = random.Random(f"{work['seed']} {name} {number}")
        chance = STRENGTH.get(name, 0.6)
        found.append([[100 if generator.random() < chance else 0, 7] for _ in range(work["roles"])])
    return found
