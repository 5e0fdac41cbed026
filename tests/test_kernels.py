"""Kernels are cached where there is a place for them, and work where there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.helpers import ROOT

SCRIPT = """
import warnings
warnings.simplefilter("error")
from ggp.warm import warm
import numba
warm()
"""


def test_a_second_process_finds_the_kernels(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, env=environment, check=True, timeout=300)
    assert list(tmp_path.rglob("*.nbi"))


def test_without_a_place_for_them_there_is_a_warning() -> None:
    script = """
import warnings, numba
real = numba.njit
def njit(*args, **options):
    if options.get("cache"):
        raise RuntimeError("cannot cache: no locator available")
    return real(*args, **options)
numba.njit = njit
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from ggp.kernels import kernel
    @kernel
    def double(x):
        return 2 * x
    @kernel
    def triple(x):
        return 3 * x
assert double(4) == 8 and triple(4) == 12
print([str(w.message) for w in caught if "compiled anew" in str(w.message)])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stdout.count("compiled anew") == 1
