"""Read any Transformer config without torch or network, lint it, and account for what it costs.

    import xfcheck

    for file in xfcheck.lint("models/llama"):
        for finding in file["findings"]:
            print(finding["code"], finding["message"])
    print(xfcheck.account("models/llama")["parameters"]["total"])

`lint` and `account` are imported when first used: `import xfcheck` alone costs nothing. `Refused` and `Usage` are what they raise.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as `typing` has it, without importing it: that is a third of what `--version` takes
if TYPE_CHECKING:
    from typing import Any

    from .api import account, lint
    from .problems import Refused, Usage

__version__ = "0.1.0"

__all__ = ["Refused", "Usage", "__version__", "account", "lint"]

_LAZY = {"account": "api", "lint": "api", "Refused": "problems", "Usage": "problems"}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
