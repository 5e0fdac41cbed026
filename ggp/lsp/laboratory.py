"""What takes long is done in processes of their own, `python -m ggp.lsp.laboratory WORK`; the server goes on answering.

A process gets the text on its standard input and gives its result, pickled, on its standard output. It ends with the
server, and at once when nobody waits for it any more.
"""

from __future__ import annotations

import asyncio
import ctypes
import pickle
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Any

from ggp.core.errors import GgpError
from ggp.lsp.findings import findings
from ggp.lsp.knowledge import knowledge

WORK: Mapping[str, Callable[[str], Any]] = {"findings": findings, "knowledge": knowledge}
_AT_ONCE = 2
"""Processes: a check and a grounding."""
_PR_SET_PDEATHSIG = 1


class WorkError(GgpError):
    """A process that gave no result."""


class Laboratory:
    """Lets work be done."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def run(self, work: str, text: str) -> Any:
        """What some work makes of a text."""
        pipe = asyncio.subprocess.PIPE
        async with self._places:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "ggp.lsp.laboratory", work, stdin=pipe, stdout=pipe, start_new_session=True
            )
            try:
                result, _ = await process.communicate(text.encode("utf-8", "surrogatepass"))
            finally:
                if process.returncode is None:
                    process.kill()
        if process.returncode:
            raise WorkError(f"{work}: the process ended with code {process.returncode}")
        return pickle.loads(result)


def _main(work: str) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    text = sys.stdin.buffer.read().decode("utf-8", "surrogatepass")
    sys.stdout.buffer.write(pickle.dumps(WORK[work](text), protocol=5))


if __name__ == "__main__":
    _main(sys.argv[1])
