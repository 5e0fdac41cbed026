"""How a position looks on the terminal."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from typing import TypeAlias

from gdl.ruleset import Ruleset
from gdl.terms import Term
from ggp.boards import board, render
from ggp.machines.machine import JointMove

Picture: TypeAlias = Callable[[Sequence[Term], JointMove | None], str]
"""The text of a position, given by its fluents, and of the joint move that led there if that may be shown."""


def picture_of(ruleset: Ruleset) -> Picture:
    """How positions of a game are shown."""
    schema = board(ruleset)
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")

    def text(fluents: Sequence[Term], last: JointMove | None) -> str:
        return render(schema.view(fluents, last_moves=last), shutil.get_terminal_size().columns, colour)

    return text
