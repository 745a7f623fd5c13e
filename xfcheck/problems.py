"""What stands in the way of an answer."""

from __future__ import annotations


class Refused(Exception):  # noqa: N818  named for what the answer is
    """The config says something no model can be built from, or leaves out what none can be built without.

    `code` is the rule that explains it (or `usage`), `pointer` the JSON pointer of the value, `help` what would be right.
    """

    def __init__(self, message: str, *, code: str = "XF113", pointer: str = "", help: str | None = None) -> None:
        super().__init__(message)
        self.message, self.code, self.pointer, self.help = message, code, pointer, help


class Usage(Exception):  # noqa: N818  named for what it says: a wrong use
    """The command cannot be carried out as asked: a path that does not exist, a flag that fits nothing. Exit code 2."""
