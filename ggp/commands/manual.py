"""The manual page ggp(1), made of the declarations that `--help` is made of."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from ggp import __version__
from ggp.commands import COMMANDS
from ggp.commands.line import parser


def page() -> str:
    """The page, in the language of man(7)."""
    return "".join(f"{line}\n" for line in _lines())


def _lines() -> Iterator[str]:
    top = parser()
    yield f'.TH GGP 1 "" "ggp {__version__}" "General game playing"'
    yield from (".SH NAME", "ggp \\- a general game player", ".SH SYNOPSIS", ".B ggp", ".I COMMAND", "[options]")
    yield from (".SH DESCRIPTION", _escaped(top.description or ""))
    yield ".SH COMMANDS"
    for name in COMMANDS:
        yield from _command(name)
    yield from (".SH EXIT STATUS", *_literally((top.epilog or "").partition("exit codes:\n")[2].partition("\n\n")[0]))


def _command(name: str) -> Iterator[str]:
    """The section of a command: its usage, what it says of itself, its arguments and options."""
    chosen = next(action for action in parser(name)._actions if isinstance(action, argparse._SubParsersAction))
    own: argparse.ArgumentParser = chosen.choices[name]
    own.formatter_class = _wide
    yield f'.SS "ggp {name}"'
    yield from _literally(own.format_usage().removeprefix("usage: ").strip())
    yield ".PP"
    yield from _literally((own.description or "").strip())
    for action in own._actions:
        if action.help != argparse.SUPPRESS:
            yield from (".TP", f"\\fB{_escaped(_heading(action))}\\fR")
            yield _escaped(own._get_formatter()._expand_help(action) if action.help else "")
    if own.epilog:
        yield ".PP"
        yield from _literally(own.epilog)


def _wide(prog: str) -> argparse.HelpFormatter:
    """The usage in lines that a page has room for, on whatever terminal it is made."""
    return argparse.RawDescriptionHelpFormatter(prog, width=78)


def _heading(action: argparse.Action) -> str:
    """How an argument or option is written."""
    value = action.metavar or ("{" + ",".join(map(str, action.choices)) + "}" if action.choices else "")
    if not action.option_strings:
        return str(value or action.dest)
    names = ", ".join(action.option_strings)
    return names if action.nargs == 0 else f"{names} {value or action.dest.upper()}"


def _literally(text: str) -> Iterator[str]:
    """Text whose lines stay as they are."""
    yield ".nf"
    yield from (_escaped(line) for line in text.splitlines())
    yield ".fi"


def _escaped(text: str) -> str:
    """Text in which nothing is a request to the formatter."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga")
    return f"\\&{text}" if text.startswith((".", "'")) else text
