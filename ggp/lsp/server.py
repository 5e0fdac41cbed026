"""The protocol: questions of an editor to answers of ours."""

from __future__ import annotations

import re
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

import ggp
from ggp.core.errors import UsageError
from ggp.lsp import answers
from ggp.lsp.documents import Document, Version
from ggp.lsp.findings import Finding
from ggp.lsp.laboratory import Laboratory
from ggp.lsp.words import Word

_LISTED = 2000
"""Words that are offered, and findings that are told."""
_FIRST = re.compile(r"\(*[^\s();]+")
"""What is marked of a condition: its first word, with the parentheses before it."""
_KINDS = {"keyword": lsp.CompletionItemKind.Keyword, "variable": lsp.CompletionItemKind.Variable}


class GdlServer(LanguageServer):
    """A server and the documents that are open."""

    def __init__(self) -> None:
        super().__init__("ggp", ggp.__version__)
        self.laboratory = Laboratory()
        self.open: dict[str, Document] = {}

    def take(self, uri: str) -> None:
        """Look at the text of a document anew."""
        text = self.workspace.get_text_document(uri)
        if uri not in self.open:
            self.open[uri] = Document(self.laboratory, lambda version: self.publish(uri, version))
        self.open[uri].change(text.source, text.position_codec)

    def publish(self, uri: str, version: Version) -> None:
        """Tell of the findings of a document."""
        found = [diagnostic(version, finding) for finding in version.findings[:_LISTED]]
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found))

    def now(self, uri: str) -> Version:
        """The document as it is now."""
        if uri not in self.open:
            self.take(uri)
        version = self.open[uri].version
        assert version is not None
        return version

    def word(self, params: Any) -> tuple[Version, Word | None]:
        """The word that a question is about."""
        version = self.now(params.text_document.uri)
        return version, version.words.at(version.positions.offset(params.position))


def diagnostic(version: Version, finding: Finding) -> lsp.Diagnostic:
    """A finding with its range: the word where it is, with the parenthesis before it."""
    at = max(finding.at, 0)
    word = _FIRST.match(version.text, at)
    severity = lsp.DiagnosticSeverity.Error if finding.is_error else lsp.DiagnosticSeverity.Warning
    return lsp.Diagnostic(
        version.positions.range(at, word.end() if word is not None else at + 1),
        finding.message, severity, f"law {finding.law}", source="ggp check",
    )  # fmt: skip


def make_server() -> GdlServer:
    """A server with all that it answers."""
    server = GdlServer()
    _listen(server)
    _navigate(server)
    _edit(server)
    _suggest(server)
    return server


def _listen(server: GdlServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.take(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        server.take(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        document = server.open.pop(params.text_document.uri, None)
        if document is not None:
            document.close()
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(params.text_document.uri, []))


def _navigate(server: GdlServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        version, word = server.word(params)
        if word is None:
            return None
        wanted = word.name not in answers.MEANINGS and not word.is_variable
        known = await server.open[params.text_document.uri].known() if wanted else None
        text = answers.hover(version.words, word, version.source, known)
        place = version.positions.range(word.at, word.end)
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text.replace("\n", "  \n")), place)

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(params: lsp.DefinitionParams) -> list[lsp.Location]:
        version, word = server.word(params)
        return [] if word is None else _locations(params, version, answers.definitions(version.words, word))

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        version, word = server.word(params)
        found = [] if word is None else version.words.same(word)
        if not params.context.include_declaration:
            found = [other for other in found if not other.gives]
        return _locations(params, version, found)


def _locations(params: Any, version: Version, words: list[Word]) -> list[lsp.Location]:
    return [lsp.Location(params.text_document.uri, version.positions.range(word.at, word.end)) for word in words]


def _edits(version: Version, changes: list[answers.Change]) -> list[lsp.TextEdit]:
    return [lsp.TextEdit(version.positions.range(begin, end), text) for begin, end, text in changes]


def _edit(server: GdlServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare_rename(params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder:
        version, word = server.word(params)
        if word is None:
            raise JsonRpcInvalidParams("there is no name here")
        try:
            answers.check_renamed(word)
        except UsageError as error:
            raise JsonRpcInvalidParams(str(error)) from None
        return lsp.PrepareRenamePlaceholder(version.positions.range(word.at, word.end), word.text)

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit:
        version, word = server.word(params)
        if word is None:
            raise JsonRpcInvalidParams("there is no name here")
        try:
            changes = answers.rename(version.words, word, params.new_name)
        except UsageError as error:
            raise JsonRpcInvalidParams(str(error)) from None
        return lsp.WorkspaceEdit({params.text_document.uri: _edits(version, changes)})

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        version = server.now(params.text_document.uri)
        text = answers.formatted(version.text)
        if text is None or text == version.text:
            return []
        return _edits(version, [answers.Change(0, len(version.text), text)])


def _suggest(server: GdlServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["(", "?"]))
    def completion(params: lsp.CompletionParams) -> lsp.CompletionList:
        version = server.now(params.text_document.uri)
        found = answers.completions(version.words, version.positions.offset(params.position))
        items = [lsp.CompletionItem(name, kind=_KINDS.get(what), detail=what) for name, what in found[:_LISTED]]
        return lsp.CompletionList(is_incomplete=len(found) > _LISTED, items=items)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix]))
    def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        version = server.now(params.text_document.uri)
        first, last = version.positions.offset(params.range.start), version.positions.offset(params.range.end)
        found = []
        for finding in version.findings:
            suggested = answers.suggestion(version.text, version.words, finding)
            if suggested is None or suggested[1].end < first or finding.at > last:
                continue
            change = lsp.WorkspaceEdit({params.text_document.uri: _edits(version, [suggested[1]])})
            about = [diagnostic(version, finding)]
            found.append(lsp.CodeAction(suggested[0], lsp.CodeActionKind.QuickFix, about, edit=change))
        return found
