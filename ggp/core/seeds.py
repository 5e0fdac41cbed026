"""Seeds: every random choice hangs on one, and each part of something has its own."""

from __future__ import annotations

import random


def split_seed(seed: int, *path: int | str) -> int:
    """A seed for a part of something that has a seed: independent for each path, the same every time."""
    return random.Random(f"{seed}/{'/'.join(map(str, path))}").getrandbits(63)
