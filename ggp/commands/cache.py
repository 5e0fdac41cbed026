"""Show the cache of compiled games: its folder and how full it is.

A game that was played once need not be compiled again: its circuit and machine code are kept on disk, and found again
even when a server has renamed everything in the rules. The environment variable GGP_CACHE names another folder than
~/.cache/ggp, or is `off`. What was used longest ago goes when the cache is full.

  ggp cache
  ggp cache --clear
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace

from ggp.core.cache import VARIABLE, Content, cache


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp cache`."""
    parser.add_argument("--clear", action="store_true", help="remove all entries")
    parser.add_argument("--json", action="store_true", help="print an object: folder, entries, bytes, limit, problem")


def run(options: Namespace) -> int:
    """Show the cache."""
    kept = cache()
    before = kept.content()
    if options.clear:
        kept.clear()
    now = kept.content()
    problem = kept.look()
    if options.json:
        folder = None if kept.folder is None else str(kept.folder)
        print(json.dumps({"folder": folder, "entries": now.entries, "bytes": now.bytes, "limit": kept.limit,
                          "problem": problem}, indent=1))  # fmt: skip
    elif kept.folder is None:
        print(f"nothing is kept: {VARIABLE} is off, or there is no home folder")
    else:
        print(f"{kept.folder}: {now} of {kept.limit / 1e6:,.0f}")
        if options.clear:
            print(f"removed: {Content(before.entries - now.entries, before.bytes - now.bytes)}")
        if problem:
            print(f"nothing more is kept there: {problem}")
    return 0
