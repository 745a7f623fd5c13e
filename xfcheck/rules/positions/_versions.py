"""Which versions of transformers are to read a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context

Version = tuple[int, int]
# patterns and no compiled ones: most files name no version
ASKED = r"^\s*transformers\s*(>=|==|~=|@|=|>)?\s*v?(\d+)(?:\.(\d+))?"
PLAIN = r"^\s*v?(\d+)(?:\.(\d+))?"
LAST4: Version = (4, 57)
"""The last release of transformers 4: `transformers@4` means it."""


def readers(context: Context) -> Iterator[tuple[Version, str, str]]:
    """(oldest version that must read it, the text, its pointer in xfcheck.yaml) of `deploy.readers` and `train.transformers`."""
    for number, text in enumerate(context.deploy.readers or ()):
        found = re.match(ASKED, text, re.IGNORECASE)
        if found is not None:
            major, minor = int(found[2]), found[3]
            version = LAST4 if found[1] == "@" and minor is None and major == 4 else (major, int(minor or 0))
            yield version, text, f"/deploy/readers/{number}"
    if (version_ := parsed(context.train.transformers)) is not None:
        yield version_, f"transformers {context.train.transformers}", "/train/transformers"


def written_by(context: Context) -> Version | None:
    """The version that the file says it was written by; a development version counts as its release."""
    return parsed(context.data.get("transformers_version"))


def parsed(text: object) -> Version | None:
    """Major and minor number of a version, null for what is none."""
    found = re.match(PLAIN, text) if isinstance(text, str) else None
    return None if found is None else (int(found[1]), int(found[2] or 0))


def named(version: Version) -> str:
    """A version in a message."""
    return f"{version[0]}.{version[1]}"
