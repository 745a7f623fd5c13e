"""What a chat template writes, told from its text: it is cut into pieces and never run.

A template is Jinja: text, `{{ expressions }}`, `{% statements %}`, `{# comments #}`. Of an expression only its string literals and
names are looked at. That is enough to see which fixed text stands around the messages, and little enough that no template can do harm.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..documents.folder import ModelFolder

_CLOSED = {"{{": "}}", "{%": "%}", "{#": "#}"}
_OPEN = re.compile(r"\{[{%#]")
_PART = re.compile(
    r"""'(?P<one>(?:[^'\\]|\\.)*)'|"(?P<two>(?:[^"\\]|\\.)*)"|"""
    r"""(?P<name>[A-Za-z_]\w*(?:\s*\.\s*\w+|\s*\[\s*(?:'\w+'|"\w+")\s*\])*)(?P<call>\s*\((?P<given>[^()]*\))?)?""",
    re.DOTALL,
)
_SET = re.compile(r"set\s+(?P<name>[A-Za-z_][\w.]*)\s*=(?!=)(?P<value>.*)", re.DOTALL)
_ROLE = re.compile(r"role['\"\]]*\)?\s*(?P<sign>==|!=)\s*\(?['\"](?P<role>\w+)['\"]")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_CONTENT = re.compile(r"(?:\b|['\".])(?:content|text)['\"\]]*$")
_MARKER = re.compile(r"<\|[\w. -]+\|>|<(?:end_of_turn|start_of_turn|/?s|eos|bos|end|eot)>|<｜[^｜\n]{1,40}｜>|\[/?INST\]|\[/?\w+_\w+\]")
LONGEST = 200_000
"""Characters of a template that are looked at."""
MOST, CANDIDATES, HELD = 5000, 100, 40
"""Pieces of a template, places where it writes a message, and pieces of a variable's value that are looked at."""


class Template(NamedTuple):
    """A chat template and where it stands."""

    text: str
    file: str
    pointer: str


class Piece(NamedTuple):
    """`kind` is text (fixed text written out), value (a name whose value is written out) or do (a statement)."""

    kind: str
    text: str


def template_of(folder: ModelFolder) -> Template | None:
    """The chat template that applies: chat_template.jinja, chat_template.json, tokenizer_config.json (`default` of several)."""
    present = set(folder.beside())
    if "chat_template.jinja" in present:
        document = folder.side("chat_template.jinja")
        if document is not None and isinstance(document.data, str):
            return Template(document.data[:LONGEST], "chat_template.jinja", "")
    for file in ("chat_template.json", "tokenizer_config.json"):
        document = folder.side(file) if file in present else None
        data = document.data if document is not None else None
        if isinstance(data, dict):
            found = next(_written(data.get("chat_template")), None)
            if found is not None:
                return Template(found[0][:LONGEST], file, f"/chat_template{found[1]}")
    return None


def _written(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield value, ""
    elif isinstance(value, list):
        named = [(i, t) for i, t in enumerate(value) if isinstance(t, dict) and isinstance(t.get("template"), str)]
        for i, t in sorted(named, key=lambda pair: pair[1].get("name") != "default"):
            yield t["template"], f"/{i}/template"


def pieces(text: str) -> list[Piece]:
    """The template cut into what it writes and what it does, in order; at most MOST pieces.

    A variable that a `set` above gave a value is written as the pieces of that value; of several the last counts, whatever branch it
    stands in, before the others those with a message's text in them.
    """
    out: list[Piece] = []
    held: dict[str, list[Piece]] = {}
    at = 0
    while len(out) < MOST:
        match = _OPEN.search(text, at)
        end = -1 if match is None else text.find(_CLOSED[match[0]], match.end())
        if match is None or end < 0:
            break
        if match.start() > at:
            out.append(Piece("text", text[at : match.start()]))
        inner = text[match.end() : end].removeprefix("-").removesuffix("-")
        at = end + 2
        if match[0] == "{%":
            out.append(Piece("do", inner.strip()))
            given = _SET.fullmatch(inner.strip())
            if given is not None:
                value, before = list(islice(_written_out(given["value"], held), HELD)), held.get(given["name"], [])
                if _holds_message(value) or not _holds_message(before):
                    held[given["name"]] = value
        elif match[0] == "{{":
            out.extend(islice(_written_out(inner, held), MOST - len(out)))
    return [*out, Piece("text", text[at:])] if at < len(text) else out


def _holds_message(value: list[Piece]) -> bool:
    return any(p.kind == "value" and _CONTENT.search(p.text) for p in value)


def _written_out(expression: str, held: dict[str, list[Piece]]) -> Iterator[Piece]:
    for part in _parts(expression):
        yield from held.get(part.text, (part,)) if part.kind == "value" else (part,)


def _parts(expression: str) -> Iterator[Piece]:
    for match in _PART.finditer(expression):
        if match["name"] is not None:
            name = re.sub(r"\s+", "", match["name"])
            # content.strip() writes content; a function's own name is no value
            if match["call"] is not None:
                name, _, method = name.rpartition(".")
                if name and method == "get" and match["given"]:
                    name = f"{name}[{match['given'][:-1].partition(',')[0].strip()}]"
                elif not name and match["given"]:
                    yield from _parts(match["given"][:-1])
            if name:
                yield Piece("value", name)
        else:
            literal = match["one"] if match["one"] is not None else match["two"]
            yield Piece("text", re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[0]), literal))


def writes(template: str, token: str | None, variable: str) -> bool:
    """Whether the template writes the token out, as its text or as the variable (`bos_token`)."""
    return any(
        (p.kind == "value" and p.text == variable) or (p.kind == "text" and bool(token) and str(token) in p.text)
        for p in pieces(template)
    )  # fmt: skip


def marks_generation(template: str) -> bool:
    """Whether it has `{% generation %}` blocks, from which the masks of assistant tokens are made."""
    return any(p.kind == "do" and p.text.split(None, 1)[:1] == ["generation"] for p in pieces(template))


def end_of_answer(template: str, known: dict[str, str], specials: frozenset[str] = frozenset()) -> str | None:
    """The first special token written after the text of an assistant's message, null where none is seen.

    `known` gives the texts of variables (eos_token). `specials`: the tokenizer's special tokens; without any, what looks like one counts.
    """
    parts = pieces(template)
    asked = [i for i, p in enumerate(parts) if p.kind == "value" and _CONTENT.search(p.text)][:CANDIDATES]
    states = {i: _of_assistant(parts, i) for i in asked}
    own = [i for i in asked if states[i]] or [i for i in asked if states[i] is None]
    for at in own if any(_mentions(p) for p in parts) else asked:
        found = _following(parts, at, known, specials)
        if found is not None:
            return found
    return None


def _mentions(piece: Piece) -> bool:
    return piece.kind == "do" and "assistant" in piece.text and piece.text.startswith(("if", "elif"))


def _of_assistant(parts: list[Piece], at: int) -> bool | None:
    """Whether the innermost branch around a piece that asks for a role asks for the assistant's; null where none asks for one."""
    depth = 0
    for piece in reversed(parts[:at]):
        if piece.kind != "do":
            continue
        word = piece.text.split(None, 1)[0] if piece.text else ""
        if word == "endif":
            depth += 1
        elif word == "if" and depth:
            depth -= 1
        elif word in ("if", "elif") and not depth and "role" in piece.text:
            return "assistant" in piece.text and "!=" not in piece.text
    return None


def _can_hold(condition: str) -> bool:
    """Whether a branch may be taken for an assistant's message: not where it asks for another role alone."""
    asked = _ROLE.findall(condition)
    if len(asked) != 1 or " and " in condition or " or " in condition or "not " in condition:
        return True
    sign, role = asked[0]
    return bool((role == "assistant") == (sign == "=="))


def _following(parts: list[Piece], at: int, known: dict[str, str], specials: frozenset[str]) -> str | None:
    depth = 0  # of the branches within one that is skipped
    waiting = False  # for a later branch of the skipped one's kind
    for piece in parts[at + 1 :]:
        word = piece.text.split(None, 1)[0] if piece.kind == "do" and piece.text else ""
        if depth:
            if depth == 1 and waiting and (word == "else" or (word == "elif" and _can_hold(piece.text))):
                depth = 0
            depth += (word == "if") - (word == "endif" and depth > 0)
            continue
        if word in ("elif", "else"):
            depth, waiting = 1, False
        elif word == "if" and not _can_hold(piece.text):
            depth, waiting = 1, True
        elif word == "endfor":
            return None
        if piece.kind == "do":
            continue
        text = known.get(piece.text) if piece.kind == "value" else piece.text
        if piece.kind == "value" and text is None and _CONTENT.search(piece.text):
            return None
        found = _special(text or "", specials)
        if found is not None:
            return found
    return None


def _special(text: str, specials: frozenset[str]) -> str | None:
    if specials:
        seen = [(text.find(token), -len(token), token) for token in specials if token and token in text]
        return min(seen)[2] if seen else None
    match = _MARKER.search(text)
    return None if match is None else match[0]
