"""The layout of a description: one rule, one head; each condition on a line of its own; comments kept.

`layout` is what `ggp format` applies. It changes white space only: names keep their spelling, comments their place
before or behind what they stand at (a comment inside a condition moves in front of it).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

WIDTH = 110
"""Longer conditions are broken where they are `or`, `and` or `not`."""

_LEXEME = re.compile(r";[^\r\n]*|[()]|[^\s();]+")
_BREAKABLE = ("or", "and", "not")
_MAX_BREAKS = 20
"""Formulas nested deeper than this are written on one line."""


@dataclass
class _Node:
    """A word, or a list of nodes, with the comments around it."""

    word: str = ""
    children: list[_Node] | None = None
    blank_before: bool = False
    """An empty line stood before it."""
    before: list[str] = field(default_factory=list)
    """Comments on lines of their own in front of it."""
    behind: str = ""
    """A comment behind it on the same line."""


def layout(text: str) -> str:
    """The text in its canonical layout. The text must be balanced: check it first."""
    lines: list[str] = []
    for node in _nodes(text):
        if node.blank_before and lines:
            lines.append("")
        lines.extend(node.before)
        if node.children is not None or node.word:
            lines.extend(_with_comment(_expression(node), node.behind))
    return "\n".join(lines) + "\n" if lines else ""


def _nodes(text: str) -> list[_Node]:
    """The top-level nodes; comments at the end of the text become an empty node."""
    top: list[_Node] = []
    stack: list[list[_Node]] = [top]
    pending: list[str] = []
    blank = False
    previous_end = 0
    last: _Node | None = None
    for lexeme in _LEXEME.finditer(text):
        word = lexeme.group()
        gap = text[previous_end : lexeme.start()]
        previous_end = lexeme.end()
        newlines = gap.count("\n") or gap.count("\r")
        if word[0] == ";":
            if newlines == 0 and last is not None:
                last.behind = f"{last.behind} {word.rstrip()}".strip()
            else:
                blank = blank or (newlines > 1 and not pending)
                pending.extend([""] if newlines > 1 and pending else [])
                pending.append(word.rstrip())
            continue
        if word == ")":
            closed = stack.pop()
            last = stack[-1][-1]
            if pending:  # comments behind the last part of a list
                closed.append(_Node(before=pending))
                pending = []
            continue
        node = _Node(word, None, blank or (newlines > 1 and not pending), pending)
        if newlines > 1 and pending:
            node.before.append("")
        pending, blank = [], False
        stack[-1].append(node)
        last = node
        if word == "(":
            node.word, node.children = "", []
            stack.append(node.children)
            last = None
    if pending:
        top.append(_Node(before=pending, blank_before=blank))
    return top


def _with_comment(lines: list[str], comment: str) -> list[str]:
    if comment:
        lines[-1] = f"{lines[-1]}  {comment}"
    return lines


def _expression(node: _Node) -> list[str]:
    """The lines of a top-level expression."""
    children = node.children
    if not children or children[0].word != "<=" or len(children) < 2:
        comments = [c for part in children or [] for c in _comments(part)]
        return [*comments, _flat(node)]
    head, body = children[1], children[2:]
    lines = [*_comments(children[0]), *_comments(head), f"(<= {_flat(head)}"]
    last = len(lines) - 1
    comment = ""
    for part in body:
        lines.extend(f"    {c}" for c in _inner_comments(part) if c)
        if part.children is not None or part.word:
            if comment:
                lines[last] += f"  {comment}"
            lines.extend(_condition(part, 4))
            last, comment = len(lines) - 1, part.behind
    if last == len(lines) - 1:
        return [*lines[:-1], _with_comment([lines[-1] + ")"], comment)[0]]
    return [*lines[:last], *_with_comment([lines[last]], comment), *lines[last + 1 :], ")"]


def _comments(node: _Node) -> list[str]:
    found = [*_inner_comments(node)]
    return [*(c for c in found if c), *([node.behind] if node.behind else [])]


def _inner_comments(node: _Node) -> Iterator[str]:
    """All comments in front of a node and inside it."""
    stack = [node]
    while stack:
        item = stack.pop()
        yield from item.before
        if item is not node and item.behind:
            yield item.behind
        stack.extend(reversed(item.children or []))


def _condition(node: _Node, indent: int, depth: int = 0) -> list[str]:
    """The lines of a condition: one if it fits, else one for each part of a connective."""
    flat = " " * indent + _flat(node)
    children = [c for c in node.children or [] if c.word or c.children is not None]
    if len(flat) <= WIDTH or len(children) < 2 or children[0].word.lower() not in _BREAKABLE or depth > _MAX_BREAKS:
        return [flat]
    opening = " " * indent + f"({children[0].word} "
    lines: list[str] = []
    for child in children[1:]:
        lines.extend(_condition(child, len(opening), depth + 1))
    lines[0] = opening + lines[0].lstrip()
    lines[-1] += ")"
    return lines


def _flat(node: _Node) -> str:
    """A node on one line, without its comments."""
    parts: list[str] = []
    stack: list[_Node | str] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
        elif item.children is None:
            parts.append(item.word)
        else:
            children = [c for c in item.children if c.word or c.children is not None]
            parts.append("(")
            stack.append(")")
            for i, child in enumerate(reversed(children)):
                if i:
                    stack.append(" ")
                stack.append(child)
    return "".join(parts)
