"""The language server: a real client over standard input and output, and each answer by itself."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from gdl import Source, check, load, parse
from gdl.laws.possible import problems_without_play
from ggp.cli import main
from ggp.core.errors import UsageError
from ggp.lsp.answers import (
    Change,
    check_renamed,
    completions,
    definitions,
    formatted,
    hover,
    rename,
    suggestion,
)
from ggp.lsp.findings import SMALL, findings, moved
from ggp.lsp.knowledge import knowledge
from ggp.lsp.words import KEYWORDS, Words
from tests.helpers import GAMES, TINY, game_files, games, some

pytest.importorskip("pygls", reason="the language server protocol is not installed: pip install ggp[lsp]")

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient
from pygls.workspace import PositionCodec

from ggp.lsp.documents import Document
from ggp.lsp.laboratory import Laboratory, WorkError
from ggp.lsp.positions import Positions
from ggp.lsp.server import make_server

NIM = (GAMES / "nim.kif").read_text(encoding="utf-8")
URI = "file:///game.kif"


def apply(text: str, changes: list[Change]) -> str:
    """The text after some changes."""
    for begin, end, new in sorted(changes, reverse=True):
        text = text[:begin] + new + text[end:]
    return text


def renamed(text: str, name: str, new: str) -> str:
    words = Words.of(text)
    return apply(text, rename(words, words.by_name[name][0], new))


def large(size: int = 1_000_000) -> str:
    """So many letters of rules: the library's games, each in words of its own."""
    parts: list[str] = []
    while sum(map(len, parts)) < size:
        for path in game_files():
            text, number = path.read_text(encoding="utf-8"), len(parts)
            words = [word for word in Words.of(text).all if word.name not in KEYWORDS and not word.name.isdigit()]
            own = [Change(word.end, word.end, f"_{number}") for word in words]
            parts.append(apply(text, own))
    return "\n".join(parts)[:size].rpartition("\n(")[0] + "\n"


# ---- over the wire ----------------------------------------------------------------------------------------------


class Editor(LanguageClient):
    """A client that keeps what it is told of problems."""

    def __init__(self) -> None:
        super().__init__("test", "1")
        self.told: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()

        @self.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
        def publish(params: lsp.PublishDiagnosticsParams) -> None:
            self.told.put_nowait(params)

    async def ended(self) -> None:
        """The server goes by itself."""
        assert self._server is not None
        assert await asyncio.wait_for(self._server.wait(), 20) == 0

    def kill(self) -> None:
        """End the server: nobody waits for it."""
        if self._server is not None:
            self._server.kill()

    async def write(self, text: str) -> list[lsp.Diagnostic]:
        """Open a text; the problems of it."""
        item = lsp.TextDocumentItem(URI, "gdl", 1, text)
        self.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return await self.problems()

    async def type(self, place: lsp.Position, text: str, version: int) -> list[lsp.Diagnostic]:
        """Put letters in; the problems that are told next."""
        change = lsp.TextDocumentContentChangePartial(lsp.Range(place, place), text)
        document = lsp.VersionedTextDocumentIdentifier(version, URI)
        self.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))
        return await self.problems()

    async def problems(self) -> list[lsp.Diagnostic]:
        """What is told of next."""
        return list((await asyncio.wait_for(self.told.get(), 60)).diagnostics)


def edit(use: Callable[[Editor], Awaitable[None]]) -> None:
    """Let a client use a server that is a process of its own."""

    async def run() -> None:
        editor = Editor()
        await editor.start_io(sys.executable, "-m", "ggp.cli", "lsp", "--stdio")
        await editor.initialize_async(lsp.InitializeParams(lsp.ClientCapabilities()))
        try:
            await use(editor)
            await editor.shutdown_async(None)
            editor.exit(None)
            await editor.ended()
        except BaseException:
            editor.kill()
            raise
        finally:
            await editor.stop()  # type: ignore[no-untyped-call]

    asyncio.run(run())


def test_an_editor_is_told_of_problems_and_gets_its_answers() -> None:
    async def use(editor: Editor) -> None:
        assert await editor.write(NIM) == []
        lines = NIM.splitlines()
        line = next(n for n, text in enumerate(lines) if "(true (heap ?h ?n))" in text)
        column = lines[line].index("heap")
        document, place = lsp.TextDocumentIdentifier(URI), lsp.Position(line, column)
        (problem,) = await editor.type(lsp.Position(line, column + 1), "x", 2)
        assert (problem.severity, problem.code, problem.range.start) == (
            lsp.DiagnosticSeverity.Warning,
            "law 25",
            lsp.Position(line, column - 1),
        )
        wanted = lsp.CodeActionParams(document, problem.range, lsp.CodeActionContext([problem]))
        (action,) = await editor.text_document_code_action_async(wanted) or []
        assert isinstance(action, lsp.CodeAction) and action.title == "Change hxeap to heap"
        assert action.edit is not None and action.edit.changes is not None
        assert [e.new_text for e in action.edit.changes[URI]] == ["heap"]
        change = lsp.TextDocumentContentChangeWholeDocument(NIM)
        identifier = lsp.VersionedTextDocumentIdentifier(3, URI)
        editor.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, [change]))
        assert await editor.problems() == []
        text = ""
        while not text or "being ground" in text:  # the process that grounds the rules has only just been started
            shown = await editor.text_document_hover_async(lsp.HoverParams(document, place))
            assert shown is not None and isinstance(shown.contents, lsp.MarkupContent)
            text = shown.contents.value
        assert "fluent heap with 2 arguments: 20 ground instances" in text
        found = await editor.text_document_definition_async(lsp.DefinitionParams(document, place))
        assert isinstance(found, list)
        given = {lines[place.range.start.line].strip() for place in found if isinstance(place, lsp.Location)}
        assert given == {
            "(<= (base (heap ?h ?n))", "(<= (base (heap ?h ?m))", "(<= (init (heap ?h ?n))", "(<= (next (heap ?h ?m))",
            "(<= (next (heap ?h ?n))",
        }  # fmt: skip
        context = lsp.ReferenceContext(include_declaration=True)
        uses = await editor.text_document_references_async(lsp.ReferenceParams(context, document, place))
        assert len(uses or []) == sum(line.partition(";")[0].count("(heap ") for line in lines)
        edited = await editor.text_document_rename_async(lsp.RenameParams(document, place, "pile"))
        assert edited is not None and edited.changes is not None and len(edited.changes[URI]) == len(uses or [])
        with pytest.raises(JsonRpcException, match="both would become one"):
            await editor.text_document_rename_async(lsp.RenameParams(document, place, "size"))
        keyword = lsp.PrepareRenameParams(document, lsp.Position(line, column - 3))
        with pytest.raises(JsonRpcException, match="a word of the language"):
            await editor.text_document_prepare_rename_async(keyword)
        offered = await editor.text_document_completion_async(lsp.CompletionParams(document, place))
        assert isinstance(offered, lsp.CompletionList)
        assert {"legal", "touched", "?h"} <= {item.label for item in offered.items}
        options = lsp.FormattingOptions(4, insert_spaces=True)
        assert await editor.text_document_formatting_async(lsp.DocumentFormattingParams(document, options)) == ()

    edit(use)


@pytest.mark.slow
def test_a_key_in_a_megabyte_of_rules_is_answered_at_once_and_then_in_full() -> None:
    text = large()

    async def use(editor: Editor) -> None:
        assert await editor.write(text) == []
        await editor.problems()  # of the whole
        line = text.count("\n", 0, text.index("(<= (legal", 500_000))
        taken = []
        for number in range(5):
            begun = time.monotonic()
            found = await editor.type(lsp.Position(line, 3), "(", 2 + number)
            taken.append(time.monotonic() - begun)
            assert any("not closed" in problem.message for problem in found)
        print(f"\n{len(text):,} letters: a key is answered after {sorted(taken)[2]:.3f} s")
        assert sorted(taken)[2] < 1

    edit(use)


# ---- findings ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", some(games()))
def test_findings_are_those_of_the_command(path: Path) -> None:
    ruleset = check(parse(Source.read(path)))
    told = [(problem.law.number, problem.at) for problem in problems_without_play(ruleset)]
    assert [(finding.law, finding.at) for finding in findings(ruleset.source.text)] == told


def test_after_a_key_findings_move_along_and_those_of_the_changed_rule_are_new() -> None:
    """Compared with a full check: what a rule breaks by itself is the same, whatever was typed and taken away."""
    chance = random.Random(1)
    own = {1, 3, 5, 8, 10, 11}
    text = "\n".join([f"(odd{n} ?x)" if n % 5 == 0 else f"(<= (p{n} ?x) (q ?x))" for n in range(40)]) + "\n" + TINY
    found = findings(text)
    for _ in range(200):
        at = chance.randrange(len(text))
        new = text[:at] + chance.choice(["x", " ", "?y", "(not)", "; c\n"]) + text[at + chance.choice([0, 0, 1]) :]
        found = moved(text, found, new)
        text = new
        full = findings(text)
        if any(finding.law == 1 for finding in full):  # of a text that does not balance, only that is told
            assert {f.at for f in full if f.law == 1} & {f.at for f in found if f.law == 1}
        else:
            errors = [(f.law, f.at) for f in found if f.is_error and f.law in own]
            assert sorted(errors) == sorted((f.law, f.at) for f in full if f.is_error and f.law in own)


def test_what_was_unbalanced_is_told_with_its_line() -> None:
    text = TINY + "(p a\n(q b)\n"
    (finding,) = [finding for finding in moved(TINY + "(p a)\n(q b)\n", [], text) if finding.law == 1]
    assert finding.at == len(TINY) and finding.message.startswith("this list is not closed")


# ---- words ------------------------------------------------------------------------------------------------------


def test_words_know_where_they_are_given() -> None:
    text = "(init (cell 1 b)) (init on)\n(<= (legal ?p (mark ?x)) (true on) (p))\n(<= p (does x noop))\n(q a\n(r b)"
    words = Words.of(text)
    assert [word.text for word in words.all if word.gives] == [
        "init",
        "cell",
        "init",
        "on",
        "legal",
        "mark",
        "p",
        "q",
        "r",
    ]
    assert [word.expression for word in words.by_name["on"]] == [1, 2]
    cell, at = words.by_name["cell"][0], text.index("cell")
    assert (cell.arguments, words.at(at), words.at(at + 4)) == (2, cell, cell)
    assert words.at(text.index("(init on)")) is None


@pytest.mark.parametrize("path", some(games()))
def test_no_word_is_lost(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    words = Words.of(text)
    assert {word.text for word in words.all} == parse(Source(text)).words.keys()
    assert all(text[word.at : word.end] == word.text for word in words.all)


# ---- answers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nim", "tic_tac_toe", "merrills"])
def test_after_renaming_every_word_a_game_is_the_same(name: str) -> None:
    from gdl.canonical import canonical

    text = (GAMES / f"{name}.kif").read_text(encoding="utf-8")
    before, renamed_text = canonical(load(Source(text))).key, text
    for number, word in enumerate(dict.fromkeys(word.name for word in Words.of(text).all)):
        if word not in KEYWORDS and not word.isdigit() and word[0] != "?":
            renamed_text = renamed(renamed_text, word, f"word{number}")
    for number, variable in enumerate(["?x", "?p", "?h"]):
        if variable in Words.of(renamed_text).by_name:
            renamed_text = renamed(renamed_text, variable, f"?new{number}")
    assert canonical(load(Source(renamed_text))).key == before


def test_what_may_not_be_renamed_is_told() -> None:
    words = Words.of(NIM)
    wrong = {"heap": ["size", "true", "two words", "?x", "random"], "?h": ["h"], "true": ["x"], "1": ["x"]}
    for name, new in ((name, new) for name, others in wrong.items() for new in others):
        with pytest.raises(UsageError):
            rename(words, words.by_name[name][-1], new)
    two = Words.of("(<= (p ?x) (q ?x ?y)) (p ?z)")
    assert len(rename(two, two.by_name["?x"][0], "?z")) == 2  # which is of another rule
    with pytest.raises(UsageError, match="is there already"):
        rename(two, two.by_name["?x"][0], "?y")
    with pytest.raises(UsageError, match="number"):
        check_renamed(words.by_name["7"][0])


def test_definitions_and_hovering() -> None:
    words, source = Words.of(NIM), Source(NIM)
    known = knowledge(NIM)
    assert {NIM.count("\n", 0, word.at) for word in definitions(words, words.by_name["leave"][-1])} == {
        NIM.count("\n", 0, NIM.index(text)) for text in ("(<= (input ?p (leave", "(<= (legal ?p (leave")
    }
    assert "move leave with 2 arguments: 32 ground instances" in hover(words, words.by_name["leave"][0], source, known)
    assert "at most 49 ground instances" in hover(words, words.by_name["fewer"][0], source, known)
    assert "the rules are being ground" in hover(words, words.by_name["fewer"][0], source, None)
    assert "the role R may do" in hover(words, words.by_name["legal"][0], source, known)
    assert "variable of this rule, 2 times" in hover(words, words.by_name["?m"][0], source, known)
    assert knowledge("(p") == {}


def test_suggestions() -> None:
    for text, change in [
        (TINY + "(<= (odd) (true (on 1)))", "(<= odd (true (on 1)))"),
        (TINY.replace("terminal (true (on 2))", "terminal (true (onn 2))"), TINY),
    ]:
        words = Words.of(text)
        found = [made for finding in findings(text) if (made := suggestion(text, words, finding)) is not None]
        assert any(change in apply(text, [made[1]]) for made in found), found


def test_completion_offers_the_variables_of_the_rule_and_the_names_of_the_text() -> None:
    text = NIM + "(<= (next ?zz) (tr"
    offered = dict(completions(Words.of(text), len(text)))
    assert offered["?zz"] == "variable" and offered["heap"] == "2 arguments" and offered["true"] == "keyword"
    assert "?m" not in offered and "tr" not in offered


def test_formatting_leaves_alone_what_does_not_balance() -> None:
    assert formatted("(p   a)") == "(p a)\n"
    assert formatted("(p   a") is None
    assert formatted("") == ""


@pytest.mark.parametrize(("encoding", "character"), [(None, 7), ("utf-8", 9), ("utf-32", 6)])
def test_places_are_counted_as_the_editor_counts(encoding: str | None, character: int) -> None:
    text = "; x\r\n; 😀 (p a)\r; ü"
    positions = Positions(text, PositionCodec(encoding) if encoding else PositionCodec())
    at = text.index("p a")
    assert positions.position(at) == lsp.Position(1, character - 1)
    for offset in (*range(4), at, len(text)):
        assert positions.offset(positions.position(offset)) == offset
    assert positions.offset(lsp.Position(99, 0)) == len(text)
    assert positions.offset(lsp.Position(0, 99)) == 4


def test_a_large_text_is_checked_in_two_steps_and_only_its_last_version_counts() -> None:
    text = TINY + "".join(f"(<= (p{n} ?x) (true (on ?x)))\n(<= (q{n} ?x) (p{n} ?x))\n" for n in range(1200))
    assert len(text) > SMALL
    told: list[tuple[int, bool]] = []

    async def run() -> None:
        laboratory = Laboratory()
        document = Document(laboratory, lambda version: told.append((len(version.findings), version.is_whole)))
        document.change(text, PositionCodec())
        document.change(text + "(<= terminal (true ?x) (not (true ?y)))", PositionCodec())
        while len(told) < 3:
            await asyncio.sleep(0.05)
        document.close()

    asyncio.run(run())
    assert told == [(0, False), (0, False), (1200 + 1, True)]


def test_where_the_protocol_is_missing_that_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ggp.commands.lsp.find_spec", lambda name: None)
    assert main(["lsp"]) == 2
    assert 'pip install "ggp[lsp]"' in capsys.readouterr().err


def test_work_that_fails_is_told() -> None:
    with pytest.raises(WorkError, match="nothing of the kind"):
        asyncio.run(Laboratory().run("nothing of the kind", ""))
    assert asyncio.run(Laboratory().run("findings", TINY)) == []


def test_the_server_offers_what_it_answers() -> None:
    features = make_server().protocol.fm.features
    assert {lsp.TEXT_DOCUMENT_HOVER, lsp.TEXT_DOCUMENT_RENAME, lsp.TEXT_DOCUMENT_CODE_ACTION} <= features.keys()
