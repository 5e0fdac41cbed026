"""What runs the lanes: the fastest way of the machine, or what the environment asks for."""

from __future__ import annotations

import pytest

from ggp.core.errors import UsageError
from ggp.lanes import VARIABLE, ways
from ggp.lanes.engine import Engine
from ggp.lanes.ways import Way, preferred, usable
from tests.small_circuits import circuit


def test_the_fastest_way_runs_unless_another_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert usable()[-1] is Way.INTERPRETER
    assert Engine(circuit("tic_tac_toe")).way is preferred() is usable()[0]
    for way in usable():
        monkeypatch.setenv(VARIABLE, way.value)
        engine = Engine(circuit("tic_tac_toe"))
        assert engine.way is way and engine.words == engine.playout[1].words == way.words


def test_only_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "avx3")
    with pytest.raises(UsageError, match="GGP_LANES=avx3: not one of avx512, avx2, interpreter"):
        preferred()
    monkeypatch.setattr(ways, "usable", lambda: (Way.INTERPRETER,))
    monkeypatch.setenv(VARIABLE, "avx2")
    with pytest.raises(UsageError, match="GGP_LANES=avx2: not on this machine, only interpreter"):
        preferred()


@pytest.mark.parametrize(
    ("features", "found"),
    [
        ({}, [Way.INTERPRETER]),
        ({"avx2": True, "popcnt": True, "avx512f": True}, [Way.AVX2, Way.INTERPRETER]),
        (dict.fromkeys(("avx2", "popcnt", "avx512f", "avx512dq", "avx512vpopcntdq"), True), list(Way)),
    ],
)
def test_ways_go_by_the_features_of_the_processor(
    features: dict[str, bool], found: list[Way], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("llvmlite.binding.get_default_triple", lambda: "x86_64-unknown-linux-gnu")
    monkeypatch.setattr("llvmlite.binding.get_host_cpu_features", lambda: features)
    assert usable.__wrapped__() == tuple(found)
    monkeypatch.setattr("sys.platform", "darwin")
    assert usable.__wrapped__() == (Way.INTERPRETER,)
