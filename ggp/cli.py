"""The command `ggp`.

Exit codes: 0 success; 1 the answer is no (a check found errors, a text is not formatted, a match was not finished);
2 the command line makes no sense, or a file cannot be read; 3 a machine could not answer (SWI-Prolog is missing, a limit
was reached); 130 interrupted by Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from gdl import DescriptionError, GdlError, UnreadableError
from ggp import __version__
from ggp.commands import COMMANDS
from ggp.errors import GgpError, MachineError

_EPILOGUE = """exit codes:
  0  success
  1  the answer is no: errors were found, a text is not formatted, a match was not finished
  2  the command line makes no sense, or a file cannot be read
  3  a machine could not answer: SWI-Prolog is missing, or a limit was reached
  130  interrupted by Ctrl-C

`ggp COMMAND --help` explains a command, with examples."""


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(
        prog="ggp",
        description="General game playing: check, show, count and play games written in GDL.",
        epilog=_EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"ggp {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in COMMANDS:
        documentation = module.__doc__ or ""
        summary, _, more = documentation.partition("\n")
        own = commands.add_parser(
            module.NAME,
            help=summary[0].lower() + summary[1:].rstrip("."),
            description=f"{summary}\n{more}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(own)
        own.set_defaults(run=module.run)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    options = parser().parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("\nggp: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output has gone: nothing is left to say, not even at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except UnreadableError as error:
        print(f"ggp: {error}", file=sys.stderr)
        return 2
    except DescriptionError as error:
        print(error, file=sys.stderr)
        return 1
    except MachineError as error:
        print(f"ggp: {error}", file=sys.stderr)
        return 3
    except (GdlError, GgpError) as error:
        print(f"ggp: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"ggp: {where}{error.strerror or error}", file=sys.stderr)
        return 2
    return code


if __name__ == "__main__":
    sys.exit(main())
