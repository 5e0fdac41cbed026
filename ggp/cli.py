"""The command `ggp`, from its first instruction on; `ggp.commands.line` has the command line.

Nothing is imported here before Ctrl-C is looked after: numba alone takes a second.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from threading import ExceptHookArgs


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code.

    Without arguments they are those of this process, which Ctrl-C then ends within a second, whatever it is doing.
    """
    if arguments is None:
        return _main_of_the_process()
    from ggp.commands.line import run
    from ggp.core import interrupts

    try:
        return run(arguments)
    except KeyboardInterrupt:
        interrupts.say()
        return interrupts.CODE


def _main_of_the_process() -> int:
    try:
        import threading

        from ggp.core import interrupts

        interrupts.watch()
        threading.excepthook = _tell
        code = main(sys.argv[1:])
    except KeyboardInterrupt:  # hardly anything has begun
        from ggp.core import interrupts

        interrupts.say()
        code = interrupts.CODE
    interrupts.leave(code)


def _tell(what: ExceptHookArgs) -> None:
    """An error that ended a thread, told as one that ends a command."""
    if what.exc_value is not None:
        from ggp.core import faults

        print(f"ggp: {faults.report(what.exc_value)}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
