"""Compare the recorded play-throughs with the games as they are, or record them anew (`--write`)."""

from __future__ import annotations

import sys

from tests.golden import PLAY, path_of, record
from tests.helpers import game_files


def main() -> int:
    """Compare or write every record; 1 if one differs."""
    write = "--write" in sys.argv[1:]
    differing = 0
    games = game_files()
    PLAY.mkdir(exist_ok=True)
    for game in games:
        path, text = path_of(game), record(game)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            differing += 1
            print(f"{path.name} {'written' if write else 'differs'}")
            if write:
                path.write_text(text, encoding="utf-8")
    for path in sorted(set(PLAY.glob("*.txt")) - set(map(path_of, games))):
        differing += 1
        print(f"{path.name} {'removed' if write else 'has no game'}")
        if write:
            path.unlink()
    return 1 if differing and not write else 0


sys.exit(main())
