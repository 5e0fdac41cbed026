"""The kernels of grounding, beside the same in plain Python."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gdl.grounding import native

GroundRule = tuple[int, list[int]]


def relevant(
    rules: list[GroundRule], ignored: list[int], leaves: list[int], wanted: list[int]
) -> tuple[list[tuple[int, tuple[int, ...]]], dict[int, int]]:
    """What the kernel does, slowly."""
    bodies: dict[int, dict[tuple[int, ...], None]] = {}
    for head, literals in rules:
        bodies.setdefault(head, {})[tuple(sorted({x for x in literals if x not in ignored}))] = None
    numbering = {0: 0}
    for leaf in leaves:
        numbering.setdefault(leaf, len(numbering))
    seen = set(wanted)
    stack = list(dict.fromkeys(wanted))[::-1]
    kept: list[tuple[int, tuple[int, ...]]] = []
    while stack:
        head = stack.pop()
        numbering.setdefault(head, len(numbering))
        if head in leaves:
            continue
        for body in bodies.get(head, ()):
            for atom in map(abs, body):
                if atom not in seen:
                    seen.add(atom)
                    stack.append(atom)
            kept.append((head, body))
    return [(numbering[h], tuple([numbering[x] if x > 0 else -numbering[-x] for x in b])) for h, b in kept], numbering


def tape_of(rules: list[GroundRule]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """As clingo's observer writes it."""
    words = [word for head, body in rules for word in (head, len(body), *body)]
    return np.array([native.HEADER + len(words), native.HEADER + len(words), 0, *words], dtype=np.int32)


@pytest.mark.parametrize("seed", range(60))
def test_the_rules_that_are_needed(seed: int) -> None:
    rng = random.Random(seed)
    atoms = rng.choice([4, 12, 60])
    longest = rng.choice([2, 5, 40])
    rules = [
        (rng.randint(1, atoms), [rng.choice((1, -1)) * rng.randint(1, atoms) for _ in range(rng.randint(0, longest))])
        for _ in range(rng.choice([0, 10, 200]))
    ]
    ignored, leaves, wanted = ([rng.randint(1, atoms) for _ in range(rng.randint(0, 4))] for _ in range(3))
    expected, numbering = relevant(rules, ignored, leaves, wanted)
    given = [np.array(numbers, dtype=np.int64) for numbers in (ignored, leaves, wanted)]
    heads, starts, literals, numbers, old = native.relevant(tape_of(rules), *given)
    found = [(head, tuple(literals[a:b])) for head, a, b in zip(heads, starts, starts[1:], strict=False)]
    assert found == expected
    assert {atom: int(number) for atom, number in enumerate(numbers) if number or not atom} == numbering
    assert old.tolist() == list(numbering)


@pytest.mark.parametrize("count", [0, 1, 2, 5, 1_000])
def test_values_are_numbered_as_they_come(count: int) -> None:
    values = np.array([random.Random(i % 37).getrandbits(64) for i in range(count)], dtype=np.uint64)
    different, which = native.number(values)
    assert different.tolist() == list(dict.fromkeys(values.tolist()))
    assert (different[which] == values).all()
