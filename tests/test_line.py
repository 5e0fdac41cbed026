"""The command line itself: what is loaded for it, what its help says, and what becomes of errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ggp.cli import main
from ggp.commands import COMMANDS, command

HEAVY = ("numba", "llvmlite", "numpy", "clingo", "lark", "pyswip", "requests", "urllib3", "rich", "dask", "matplotlib")
"""What takes long to load: no command needs it that computes nothing."""
IDLE = [
    ["--version"], ["--help"], [], ["nonsense"], ["games"], ["games", "--json"], ["check", "--laws"], ["check"],
    ["bench"], ["new", "my_game"], ["records"], ["replay", "."], ["register"],
    ["match", "nonsense"], ["play", "--player", "nonsense"], ["search", "nonsense"],
    *([name, "--help"] for name in COMMANDS),
]  # fmt: skip


def test_commands_that_compute_nothing_load_nothing_heavy(tmp_path: Path) -> None:
    code = f"""
import sys
from ggp.cli import main
for arguments in {IDLE}:
    try:
        main(arguments)
    except SystemExit:
        pass
    loaded = sorted(set({HEAVY}) & set(sys.modules))
    if loaded:
        sys.exit(f"{{arguments}} loaded {{loaded}}")
print("none")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "none", done.stderr


def test_the_summaries_are_those_of_the_modules() -> None:
    for name, summary in COMMANDS.items():
        first = (command(name).__doc__ or "").partition("\n")[0]
        assert first[0].lower() + first[1:].rstrip(".") == summary


@pytest.mark.parametrize(
    ("word", "hint"), [("serach", "did you mean search?"), ("playthrough", "did you mean play-through?"),
                       ("quux", "known are: check, format, show, ")],
)  # fmt: skip
def test_a_command_that_is_none_is_told_with_the_nearest(
    word: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main([word])
    assert caught.value.code == 2
    told = capsys.readouterr().err
    assert "usage: ggp" in told and f"there is no command {word!r}; {hint}" in told


def test_the_help_lists_all_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert all(f"{name} {summary}" in text for name, summary in COMMANDS.items())
