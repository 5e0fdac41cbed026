"""The texts that an editor has open: what is known of each, and what is still being found out in another process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import cached_property

from gdl import Source
from ggp.lsp.findings import SMALL, Finding, findings, moved
from ggp.lsp.knowledge import Kind
from ggp.lsp.laboratory import Laboratory, WorkError
from ggp.lsp.positions import Codec, Positions
from ggp.lsp.words import Words

_LOG = logging.getLogger(__name__)
_IDLE = 0.3
"""Seconds without a key after which a large text is checked as a whole."""
_PATIENCE = 2.0
"""Seconds that hovering waits for the rules to be ground."""


class Version:
    """One version of a text."""

    def __init__(self, text: str, codec: Codec, found: list[Finding], *, whole: bool) -> None:
        self.text, self.codec = text, codec
        self.findings = found
        self.is_whole = whole
        """Whether these are all findings, and not only those of what was changed last."""

    @cached_property
    def words(self) -> Words:
        """Its words."""
        return Words.of(self.text)

    @cached_property
    def positions(self) -> Positions:
        """Its places."""
        return Positions(self.text, self.codec)

    @cached_property
    def source(self) -> Source:
        """As messages speak of it."""
        return Source(self.text)


class Document:
    """A text that is open. `publish` is told of each version whose findings are new."""

    def __init__(self, laboratory: Laboratory, publish: Callable[[Version], None]) -> None:
        self.laboratory, self.publish = laboratory, publish
        self.version: Version | None = None
        self._settling: asyncio.Task[None] | None = None
        self._known: tuple[str, asyncio.Future[dict[str, list[Kind]]]] | None = None
        self._last: dict[str, list[Kind]] | None = None

    def change(self, text: str, codec: Codec) -> None:
        """Take over a text, as it was opened or after a key."""
        before = self.version
        if len(text) <= SMALL:
            self.version = Version(text, codec, findings(text), whole=True)
        else:
            found = moved(before.text, before.findings, text) if before is not None else []
            self.version = Version(text, codec, found, whole=False)
        self.publish(self.version)
        self.close()
        if self.version.is_whole and before is None:
            self._ask()  # who opens a text will soon want to know more of it
        if not self.version.is_whole:
            self._settling = asyncio.get_running_loop().create_task(self._settle(self.version))

    async def _settle(self, version: Version) -> None:
        await asyncio.sleep(_IDLE)
        try:
            version.findings = await self.laboratory.run("findings", version.text)
        except WorkError as error:
            _LOG.error("%s; what is told of the text is of the rules that were changed", error)
            return
        version.is_whole = True
        if version is self.version:
            self.publish(version)

    def close(self) -> None:
        """Wait for no check any more: the process that does it ends."""
        if self._settling is not None:
            self._settling.cancel()

    async def known(self) -> dict[str, list[Kind]] | None:
        """What can stand where: of this version, or else of one before it; None if nothing was found out yet."""
        asked = self._ask()
        done, _ = await asyncio.wait([asked], timeout=_PATIENCE)
        if done:
            self._last = asked.result() or self._last or {}
        return self._last

    def _ask(self) -> asyncio.Future[dict[str, list[Kind]]]:
        """Let be found out what can stand where in this version, unless that goes on already."""
        assert self.version is not None
        text = self.version.text
        if self._known is None or self._known[0] != text:
            self._known = (text, asyncio.ensure_future(self._find_out(text)))
        return self._known[1]

    async def _find_out(self, text: str) -> dict[str, list[Kind]]:
        try:
            found: dict[str, list[Kind]] = await self.laboratory.run("knowledge", text)
        except WorkError as error:
            _LOG.error("%s; hovering tells of places only", error)
            return {}
        return found
