"""Compare the recorded plays, search graphs and boards with the games as they are, or record them anew (`--write`)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tests.golden import PLAY, path_of, record
from tests.golden.boards import BOARDS, board_path, record_board
from tests.golden.graphs import SEARCH, SEARCHED, graph_path, record_graph
from tests.helpers import game_files


def compare(folder: Path, records: Mapping[Path, Callable[[], str]], write: bool) -> int:
    """Compare or write the records of a folder; how many differ."""
    differing = 0
    folder.mkdir(exist_ok=True)
    for path, make in records.items():
        text = make()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            differing += 1
            print(f"{path.name} {'written' if write else 'differs'}")
            if write:
                path.write_text(text, encoding="utf-8")
    for path in sorted(set(folder.iterdir()) - set(records)):
        differing += 1
        print(f"{path.name} {'removed' if write else 'has no game'}")
        if write:
            path.unlink()
    return differing


def main() -> int:
    """Compare or write every record; 1 if one differs."""
    write = "--write" in sys.argv[1:]
    differing = compare(PLAY, {path_of(game): partial(record, game) for game in game_files()}, write)
    differing += compare(SEARCH, {graph_path(name): partial(record_graph, name) for name in SEARCHED}, write)
    differing += compare(BOARDS, {board_path(game): partial(record_board, game) for game in game_files()}, write)
    return 1 if differing and not write else 0


sys.exit(main())
