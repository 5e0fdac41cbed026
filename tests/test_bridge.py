"""The worker process: whatever happens to it, the parent gets a clear error and the next question works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import pytest

from ggp.core.errors import (
    MachineError,
    MemoryLimitError,
    PrologMissingError,
    RulesError,
    TimeLimitError,
    WorkerDiedError,
)
from ggp.machines import Limits
from ggp.machines.bridge import INSTALL_ADVICE, Bridge, Patience
from tests.conftest import Open
from tests.helpers import TINY, legal_moves, ruleset, terms, texts


@pytest.fixture
def bridge() -> Iterator[Bridge]:
    made = Bridge(Limits(seconds=30))
    yield made
    made.close()


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_question_and_its_answer(bridge: Bridge) -> None:
    assert bridge.pid is None
    assert bridge.ask("sort(['.b','.a','.b'])") == "[.a,.b]"
    assert bridge.pid is not None


def test_a_request_that_makes_no_sense_is_an_error_and_no_more(bridge: Bridge) -> None:
    for request in ("nonsense(1)", "sort(", "", "sort(X) extra"):
        with pytest.raises(RulesError):
            bridge.ask(request)
    assert bridge.ask("sort([])") == "[]"


def test_a_worker_killed_between_questions_is_replaced_in_silence(bridge: Bridge) -> None:
    bridge.prepare("clauses(\":- relation('.role',1).\n'.role'('.me').\n\")")
    assert bridge.prepare("roles") == "[.me]"
    pid = bridge.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: bridge.pid is None)
    assert bridge.ask("facts('.role',1)") == "[.role(.me)]"  # the new worker knows what the old one knew
    assert bridge.pid not in (None, pid)


def test_a_worker_killed_in_the_middle_of_a_question(bridge: Bridge) -> None:
    bridge.ask("sort([])")
    pid = bridge.pid
    assert pid is not None
    killer = threading.Timer(0.5, os.kill, (pid, signal.SIGKILL))
    killer.start()
    with pytest.raises(WorkerDiedError, match="killed by signal 9"):
        bridge.ask("sleep(60)")
    killer.join()
    assert not is_alive(pid)
    assert bridge.ask("sort(['.a'])") == "[.a]"


def test_a_worker_that_is_killed_while_a_game_is_asked(prolog: Open) -> None:
    machine = prolog(TINY)
    pid = machine._bridge.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)  # so that it cannot answer before it dies
    killer = threading.Timer(0.3, os.kill, (pid, signal.SIGKILL))
    killer.start()
    with pytest.raises(WorkerDiedError):
        machine.situation(machine.initial())
    killer.join()
    assert legal_moves(machine) == ["wait"]
    assert machine.situation(machine.next(machine.initial(), terms("wait"))).terminal


def test_a_question_that_takes_too_long(bridge: Bridge) -> None:
    bridge.ask("sort([])")
    pid = bridge.pid
    assert pid is not None
    start = time.monotonic()
    with pytest.raises(TimeLimitError, match=r"limit of 0\.5 s"):
        bridge.ask("sleep(60)", seconds=0.5)
    assert time.monotonic() - start < 20
    assert not is_alive(pid)
    assert bridge.ask("sort(['.a'])") == "[.a]"


_PIGEONS = [f"?p{i}" for i in range(14)]

ENDLESS = {
    "counting upwards": "(<= (count z) (true (on 3)))\n(<= (count (s ?n)) (count ?n))\n"
    "(<= (legal me ?n) (true (on 3)) (count ?n))",
    "an endless list": "(<= (member ?x ?l) (member ?x (cons ?y ?l)))\n(<= (legal me many) (true (on 3)) (member a nil))",
    "fourteen pigeons in thirteen holes": " ".join(f"(hole {i})" for i in range(13))
    + "(<= (legal me many) (true (on 3)) "
    + " ".join(f"(hole {p})" for p in _PIGEONS)
    + " ".join(f"(distinct {p} {q})" for p, q in combinations(_PIGEONS, 2))
    + ")",
}
"""Rules that never answer, or not in this life, where `(on 3)` holds."""


@pytest.mark.parametrize("name", ENDLESS)
def test_a_description_that_never_answers_is_stopped_within_its_limit(name: str, prolog: Open) -> None:
    machine = prolog(ruleset(TINY + ENDLESS[name]), Limits(seconds=0.4, bytes=2 << 30))
    for _ in range(2):
        start = time.monotonic()
        with pytest.raises((TimeLimitError, MemoryLimitError)):
            machine.situation(machine.position(terms("(on 3)")))
        assert time.monotonic() - start < 20
        assert legal_moves(machine) == ["wait"]


def test_an_endless_recursion_runs_out_of_its_memory(prolog: Open) -> None:
    machine = prolog(ruleset(TINY + ENDLESS["an endless list"]), Limits(seconds=120, bytes=3 << 29))
    with pytest.raises(MachineError) as caught:
        machine.situation(machine.position(terms("(on 3)")))
    assert isinstance(caught.value, MemoryLimitError | TimeLimitError)
    assert legal_moves(machine) == ["wait"]


def test_rules_that_loop_while_they_are_loaded(prolog: Open) -> None:
    """A static relation without end is not stored; it only matters where it is asked."""
    machine = prolog(TINY + "(count z)\n(<= (count (s ?n)) (count ?n))\n(<= (legal me one) (true (on 1)) (count (s z)))")
    assert legal_moves(machine) == ["one", "wait"]


def test_the_worker_is_gone_after_close_and_comes_back_when_asked(bridge: Bridge) -> None:
    bridge.ask("sort([])")
    pid = bridge.pid
    assert pid is not None
    bridge.close()
    assert not is_alive(pid)
    bridge.close()
    assert bridge.ask("sort([])") == "[]"


def test_the_worker_ends_with_its_parent() -> None:
    """Even where the parent is killed and can close nothing."""
    code = """
import os, signal
from ggp.machines.bridge import Bridge, Limits
bridge = Bridge(Limits())
bridge.ask("sort([])")
print(bridge.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    pid = int(done.stdout)
    wait_until(lambda: not is_alive(pid) or _is_zombie(pid))


def _is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def test_several_threads_may_ask_at_once(prolog: Open) -> None:
    machine = prolog(TINY)
    start, end = machine.initial(), machine.position(terms("(on 2)"))
    wrong: list[object] = []

    def ask(position: str, terminal: bool) -> None:
        wrong.extend(x for _ in range(50) if (x := machine.situation(position)).terminal is not terminal)

    threads = [threading.Thread(target=ask, args=pair) for pair in ((start, False), (end, True)) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert texts(machine.fluents(start)) == ["(on 1)"]


def _broken_pyswip(folder: Path, error: str) -> None:
    package = folder / "pyswip"
    package.mkdir()
    (package / "__init__.py").write_text(
        f"class SwiPrologNotFoundError(Exception): ...\nraise {error}\n", encoding="utf-8"
    )


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("SwiPrologNotFoundError('no library')", INSTALL_ADVICE),
        ("ModuleNotFoundError(\"No module named 'pyswip'\")", INSTALL_ADVICE),
        ("OSError('libswipl.so: wrong ELF class')", "SWI-Prolog cannot be loaded: OSError: libswipl.so: wrong ELF class"),
    ],
)
def test_where_swi_prolog_is_missing_the_error_says_how_to_install_it(
    error: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bridge: Bridge
) -> None:
    _broken_pyswip(tmp_path, error)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(PrologMissingError) as caught:
        bridge.ask("sort([])")
    assert str(caught.value) == message
    monkeypatch.delenv("PYTHONPATH")
    assert bridge.ask("sort([])") == "[]"  # installed in the meantime


SPIN = (
    "clauses(\":- relation('.role',1).\n'.role'('.me').\n:- relation('.legal',2).\n'.legal'('.me','.go').\n"
    ":- relation('.next',1).\n'.next'('.f') :- between(1,inf,X), X < 0.\n:- relation('.terminal',0).\n\")"
)
"""A game whose first step takes for ever."""


def test_tries_end_when_they_are_told_to_and_the_same_worker_goes_on(bridge: Bridge) -> None:
    bridge.prepare(SPIN)
    bridge.prepare("roles")
    pid = bridge.pid
    begun = time.monotonic()
    question = "tries([],'.me',['.go'],10,1)"
    assert bridge.ask_while(question, Patience(until=begun + 0.2)) == "[]"
    assert bridge.ask_while(question, Patience(stopped=lambda: time.monotonic() > begun + 0.4)) == "[]"
    assert 0.4 < time.monotonic() - begun < 20
    assert bridge.ask("sort(['.b'])") == "[.b]" and bridge.pid == pid


def test_a_worker_that_does_not_end_when_told_to_is_replaced(bridge: Bridge) -> None:
    bridge.start()
    pid = bridge.pid
    with pytest.raises(TimeLimitError, match="did not end when told to"):
        bridge.ask_while("sleep(60)", Patience(until=time.monotonic()))
    assert bridge.ask("sort(['.b'])") == "[.b]" and bridge.pid != pid


def test_a_signal_between_two_questions_means_nothing(bridge: Bridge) -> None:
    bridge.start()
    assert bridge.pid is not None
    pid = bridge.pid
    os.kill(pid, signal.SIGUSR1)
    assert bridge.ask("sort(['.b'])") == "[.b]" and bridge.pid == pid


def test_a_twin_knows_the_same(bridge: Bridge) -> None:
    bridge.prepare(SPIN)
    twin = bridge.twin()
    twin.start()
    assert twin.pid not in (None, bridge.pid)
    assert twin.ask("facts('.role',1)") == bridge.ask("facts('.role',1)") == "[.role(.me)]"
    twin.close()
