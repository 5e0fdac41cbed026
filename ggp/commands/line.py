"""The command line: what is asked for, and what becomes of it.

Exit codes: 0 success; 1 the answer is no (a check found errors, a text is not formatted, a match was not finished);
2 the command line makes no sense, or a file cannot be read; 3 a machine could not answer (SWI-Prolog is missing, a limit
was reached), or there is a fault in ggp itself; 130 interrupted by Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from ggp.commands import COMMANDS, COMPILING, command
from ggp.core import interrupts
from ggp.core.suggest import unknown

_EPILOGUE = """exit codes:
  0  success
  1  the answer is no: errors were found, a text is not formatted, a match was not finished
  2  the command line makes no sense, or a file cannot be read
  3  a machine could not answer (SWI-Prolog is missing, a limit was reached), or there is a fault in ggp itself
  130  interrupted by Ctrl-C

`ggp COMMAND --help` explains a command, with examples."""


class _Version(argparse.Action):
    """Prints the version, which takes a while to find out."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print it and leave."""
        import ggp

        print(f"ggp {ggp.__version__}")
        parser.exit()


def parser(asked: str | None = None) -> argparse.ArgumentParser:
    """The command line: the names of all commands, and the options of the one that is asked for."""
    top = argparse.ArgumentParser(
        prog="ggp",
        description="General game playing: check, show, count and play games written in GDL.",
        epilog=_EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action=_Version, nargs=0, help="print the version and stop")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        own = commands.add_parser(name, help=summary, formatter_class=argparse.RawDescriptionHelpFormatter)
        if name == asked:
            module = command(name)
            own.description = module.__doc__
            module.add_arguments(own)
            own.set_defaults(run=module.run)
    return top


def run(arguments: Sequence[str]) -> int:
    """Run a command; returns its exit code."""
    asked = next((argument for argument in arguments if not argument.startswith("-")), None)
    top = parser(asked)
    if asked is not None and asked not in COMMANDS:
        top.error(unknown("command", asked, COMMANDS))
    options = top.parse_args(arguments)
    try:
        interrupts.running()
        if asked in COMPILING and getattr(options, "machine", "") != "prolog":
            _compile_kernels()
        code: int = options.run(options)
        if sys.stdout is not None:  # it may have been closed from the start
            sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has gone: nothing is left to say, not even at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if interrupts.have_come():
            raise KeyboardInterrupt from None
        from ggp.core import faults

        code, message = faults.explain(error)
        print(message, file=sys.stderr)
    return code


def _compile_kernels() -> None:
    """Compile all kernels where this installation has not done so yet, and say what is waited for."""
    from ggp.core import firstuse

    if firstuse.compiled():
        return
    import subprocess

    from ggp.core.children import ends_with_us

    print("ggp: compiling for this machine, which is done once and takes a minute or two …", file=sys.stderr, flush=True)
    program = [sys.executable, "-c", "from ggp.commands.warm import warm; warm()"]  # this process stays as light as it is
    done = subprocess.run(
        ends_with_us(program), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True, check=False
    )
    if done.returncode:
        print(f"ggp: that failed (exit code {done.returncode}); what is needed is compiled on the way", file=sys.stderr)
