"""Fixtures, and the settings of hypothesis: the same examples every time."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

import pytest
from hypothesis import HealthCheck, settings

from gdl import Ruleset
from ggp.core import firstuse
from ggp.machines import Limits, PrologMachine
from tests.helpers import default_signals, ruleset

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.web_site import Site

SLOW = 1800
"""Seconds that a slow test may take, unless it says otherwise by a mark `timeout` of its own."""

default_signals()

settings.register_profile(
    "tests", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tests")


@pytest.fixture
def compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games are compiled once for all tests of this process that ask for this; for tests of what is done with them."""
    from ggp.machines.circuit import CircuitMachine  # numba takes a second: only where it is used
    from tests.compiled import machine_of

    monkeypatch.setattr(CircuitMachine, "compile", machine_of)


@pytest.fixture
def first_question(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Who judges a game in this process asks the first question only, and nobody has judged any."""
    from ggp.search import judging

    ask = judging._steps
    monkeypatch.setattr(judging, "_steps", lambda machine, go_on: itertools.islice(ask(machine, go_on), 1))
    known = dict(judging.KNOWN)
    judging.KNOWN.clear()
    yield
    judging.KNOWN.clear()
    judging.KNOWN.update(known)


@pytest.fixture
def judged_briefly(first_question: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `first_question`, and nothing of it is kept; for tests of what is done with what was found, or besides."""
    monkeypatch.setattr("ggp.search.judging.keep_part", lambda *_: None)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The page's server, in a folder of its own."""
    from tests.web_site import site  # starlette takes a while: only where it is used

    with site(tmp_path_factory.mktemp("page")) as made:
        yield made


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser; for tests that are marked by `needs_chromium`."""
    from tests.web_browser import chromium

    with chromium() as made:
        yield made


Open: TypeAlias = Callable[..., PrologMachine]


def pytest_configure(config: pytest.Config) -> None:
    """What tests keep is kept in a folder of this run, which its workers share: never in that of the user."""
    if not hasattr(config, "workerinput"):
        os.environ["GGP_CACHE"] = tempfile.mkdtemp(prefix="ggp-tests-")
        os.environ["GGP_KNOWLEDGE"] = os.path.join(os.environ["GGP_CACHE"], "knowledge")
        firstuse.mark()  # where nothing was set up, tests compile what they need, and none waits for the rest


def pytest_unconfigure(config: pytest.Config) -> None:
    """The folder goes with the run."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop("GGP_CACHE"), ignore_errors=True)
        del os.environ["GGP_KNOWLEDGE"]


def pytest_xdist_auto_num_workers() -> int:
    """One worker more than there are processors: some always waits for a clock or for processes it has started."""
    return len(os.sched_getaffinity(0)) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests get a longer time limit."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW))


@pytest.fixture
def prolog() -> Iterator[Open]:
    """Opens Prolog machines for texts or rulesets; all are closed at the end of the test."""
    machines: list[PrologMachine] = []

    def open_machine(game: str | Ruleset, limits: Limits | None = None) -> PrologMachine:
        machine = PrologMachine(ruleset(game) if isinstance(game, str) else game, limits or Limits(seconds=60))
        machines.append(machine)
        return machine

    yield open_machine
    for machine in machines:
        machine.close()
