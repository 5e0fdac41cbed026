"""Run a command in a process of its own that can neither stay nor grow, and give what it printed."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio.abc import ByteReceiveStream

from ggp.core.errors import GgpError

ANSWER = 4 << 20
"""A longer answer than this is cut off, and so is who gives it [bytes]."""
_COMPLAINT = 4_000
"""Letters of an error message that are handed on."""


@dataclass(frozen=True)
class CallLimits:
    """What one call may use."""

    seconds: float = 30.0
    """By the clock; also of processor time, twice as much, as two threads may be at work."""
    bytes: int = 4 << 30
    """Address space of each process."""
    at_once: int = 2
    """Calls that run at the same time; others wait."""


class CallError(GgpError):
    """A call that gave no answer; the message is for the caller."""


async def run(arguments: Sequence[str], source: tuple[str, str], limits: CallLimits) -> str:
    """What `ggp ARGUMENTS` prints, in an empty folder with one file, a name and a text; CallError if it is no answer."""
    with tempfile.TemporaryDirectory(prefix="ggp-mcp-") as folder:
        name, text = source
        Path(folder, name).write_text(text, encoding="utf-8")
        bounds = [str(limits.bytes), str(math.ceil(2 * limits.seconds))]
        process = await anyio.open_process(
            [sys.executable, "-m", "ggp.mcp.limited", *bounds, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
            start_new_session=True, env={**os.environ, "NO_COLOR": "1", "TMPDIR": folder},
        )  # fmt: skip
        try:
            with anyio.fail_after(limits.seconds):
                async with anyio.create_task_group() as group:
                    found: dict[str, bytes] = {}
                    assert process.stdout is not None and process.stderr is not None
                    group.start_soon(_read, process.stdout, found, "out")
                    group.start_soon(_read, process.stderr, found, "err")
                code = await process.wait()
        except TimeoutError:
            raise CallError(f"this takes more than {limits.seconds:g} s: ask for less") from None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            with anyio.CancelScope(shield=True):
                await process.wait()
    return _answer(code, found["out"], found["err"], limits)


async def _read(stream: ByteReceiveStream, found: dict[str, bytes], name: str) -> None:
    parts = bytearray()
    async for part in stream:
        parts += part
        if len(parts) > ANSWER:
            await stream.aclose()  # whoever writes on is ended by that
            break
    found[name] = bytes(parts)


def _answer(code: int, out: bytes, err: bytes, limits: CallLimits) -> str:
    """What was printed, if it is an answer: yes or no, but neither a complaint nor a fault."""
    if len(out) > ANSWER:
        raise CallError("the answer is too long: ask for less")
    if code in (0, 1) and out:
        return out.decode(errors="replace")
    if code == -signal.SIGXCPU or code == -signal.SIGKILL:
        raise CallError(f"this takes more than {2 * limits.seconds:g} s of processor time: ask for less")
    complaint = err.decode(errors="replace").strip().removeprefix("ggp: ")
    raise CallError(complaint[:_COMPLAINT] or f"no answer, but exit code {code}: perhaps too little memory")
