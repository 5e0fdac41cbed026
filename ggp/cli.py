"""The command `ggp`, from its first instruction on; `ggp.commands.line` has the command line.

Nothing is imported here before Ctrl-C is looked after: numba alone takes a second.
"""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code.

    Without arguments they are those of this process, which Ctrl-C then ends within a second, whatever it is doing.
    """
    own_process = arguments is None
    try:
        if own_process:
            from ggp import interrupts

            interrupts.watch()
        from ggp.commands.line import run

        code = run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        from ggp import interrupts

        interrupts.say()
        code = interrupts.CODE
    if own_process:
        interrupts.leave(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
