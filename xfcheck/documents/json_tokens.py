"""The tokens of JSON (RFC 8259), and of what is commonly written in its place."""

from __future__ import annotations

import re

TOKEN = re.compile(
    r"""[ \t\n\r]*+(?:
      (?P<string>"[^"\\\n\r]*+(?:\\[^\n\r][^"\\\n\r]*+)*+")
    | (?P<punct>[][{},:])
    | (?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+(?![\w.+-]))
    | (?P<word>(?:NaN|-?Infinity|true|false|null|None|True|False)(?!\w))
    | (?P<single>'[^'\\\n\r]*+(?:\\[^\n\r][^'\\\n\r]*+)*+')
    | (?P<comment>//[^\n\r]*+|\#[^\n\r]*+|/\*(?:[^*]|\*(?!/))*+\*/)
    | (?P<end>\Z)
    )""",
    re.VERBOSE,
)
SPACE = re.compile(r"[ \t\n\r]*+")
CONTROL = re.compile(r"[\x00-\x1f]")
WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "None": None, "True": True, "False": False}
