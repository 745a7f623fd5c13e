"""Text from files made harmless: for terminals, for the logs of CI services, for JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

# patterns and no compiled ones: a report in ASCII needs none
# control characters; changes of writing direction; separators that end a line somewhere; halves of surrogate pairs; invisible tags
_UNSAFE = "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
# GitHub and Azure runners take `##[command]` and `##vso[command]` anywhere in a line of a log
_COMMAND = r"##(?=\w*\[)"
_JSON_COMMAND = r"##(\w*)\["


def _spelt(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def plain(text: str) -> str:
    """The text on one line with what a terminal or a log would obey spelt out, tabs and line ends too: none of them is a space."""
    return re.sub(_COMMAND, "# #", re.sub(_UNSAFE, _spelt, text))


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code in (9, 10, 13):
        return found[0]
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD800 + (code - 0x10000 >> 10):04x}\\u{0xDC00 + (code - 0x10000 & 0x3FF):04x}"


def harmless_json(text: str) -> str:
    """JSON text with the same characters as escapes: it means the same, and a terminal or a log that shows it obeys nothing in it."""
    if text.isascii() and "##" not in text and "\x7f" not in text:
        return text
    return re.sub(_JSON_COMMAND, r"##\1\\u005b", re.sub(_UNSAFE, _escaped, text))


def line_start(text: str) -> str:
    """A line whose beginning is from a file: one that CI services would take for a command (`::error::`) gets `./` in front."""
    return f"./{text}" if text.lstrip().startswith("::") else text


def error_text(result: dict[str, Any]) -> str:
    """An error object (`path`, and `error` with `code`, `message`, `pointer` and `help`) as a line, with its help below."""
    error = result["error"]
    where = f" ({error['pointer']})" if error["pointer"] else ""
    hint = f"\n  help: {plain(error['help'])}" if error.get("help") else ""
    code = "" if error["code"] == "usage" else f"{error['code']} "
    message = error["message"].removeprefix(f"{result['path']}: ") if not code else error["message"]
    start = "" if code else "xfcheck: "
    return line_start(plain(f"{start}{result['path']}: {code}{message}{where}")) + hint + "\n"
