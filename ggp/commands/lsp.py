"""Serve editors: a language server for GDL over standard input and output, as editors start such servers.

Problems as `ggp check --plays 0` tells them, while you type; hovering tells what can stand where and how many ground
instances there are; definitions, references, renaming, layout, completion, and changes for what was misspelt. Needs the
extra `lsp`: pip install "ggp[lsp]". The folder editors/ of the project has an extension for VS Code.

  ggp lsp --stdio
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec

from ggp.core.errors import UsageError


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `ggp lsp`."""
    parser.add_argument("--stdio", action="store_true", help="as editors say it; there is no other way")


def run(options: Namespace) -> int:  # noqa: ARG001 (it has no options that change anything)
    """Serve until the editor has gone."""
    if find_spec("pygls") is None:
        raise UsageError('the language server protocol is not installed: pip install "ggp[lsp]"')
    from ggp.lsp.server import make_server

    wire = os.fdopen(os.dup(sys.stdout.fileno()), "wb")  # the protocol's alone: what is printed goes to the error stream
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    make_server().start_io(stdout=wire)
    return 0
