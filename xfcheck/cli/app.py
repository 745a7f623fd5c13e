"""The typer application, made of the one command that was asked for; for the list of commands their names and lines are enough."""

from __future__ import annotations

import errno
import os
import sys
from importlib import import_module

COMMANDS = {
    "lint": "Is this config right? Findings with rule codes.",
    "inspect": "The six questions of a Transformer config, answered from its files.",
    "budget": "What it costs: parameters, FLOPs, cache, memory.",
    "compare": "Costs side by side: variations of a config, several configs.",
    "tensors": "Every tensor a checkpoint of this config holds.",
    "resolve": "The effective config as each reader sees it, every value with its origin.",
    "verify": "Proof: a torch build on meta against the ledger, FLOPs and cache; laws; a reference.",
    "bench": "Attention kernels measured on this machine, with a config's own shapes, against a roofline.",
    "shapes": "Every activation from token ids to logits, with symbols and numbers.",
    "shrink": "The smallest config with the same ratios, kinds of layers and flags.",
    "explain": "What a rule does, why, and what to write instead.",
    "rules": "All rules.",
    "families": "All model types that are read, and what they are held to.",
    "config": "The settings that count, and where each was set.",
    "devices": "Accelerators that budgets are compared with.",
    "schema": "The JSON Schema of a model description, of xfcheck.yaml or of a report.",
}
"""Command -> the line that `--help` shows; each is `cli/<command>.py` with a function `command`."""


def run(arguments: list[str]) -> None:
    """Parse and run. Never returns normally where the command has an exit code of its own."""
    import typer

    asked = next((a for a in arguments if not a.startswith("-")), None)
    completes = "_XFCHECK_COMPLETE" in os.environ
    alone = asked in COMMANDS and not completes
    app = typer.Typer(
        name="xfcheck", rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=not alone, no_args_is_help=True,
        help="Read any Transformer config: is it right, what does it cost.",
    )  # fmt: skip

    @app.callback()
    def xfcheck(version: bool = typer.Option(False, "--version", help="Print the version and exit.")) -> None:
        if version:
            from xfcheck import __version__

            print(f"xfcheck {__version__}")
            raise typer.Exit

    for name in [asked] if alone else COMMANDS:
        if not alone and not completes:
            app.command(name, short_help=COMMANDS[str(name)])(_listed)
            continue
        module = import_module(f"{__package__}.{name}")
        app.command(name, help=module.__doc__, short_help=COMMANDS[str(name)], epilog=_epilog(name, arguments))(module.command)
    try:
        app(args=arguments, prog_name="xfcheck")
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:  # whatever it is, it is no finding: never exit code 1
        if os.environ.get("XFCHECK_TRACEBACK"):
            raise
        from ..reports.plain import plain

        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            print(f"xfcheck: the output cannot be written: {error.strerror}", file=sys.stderr)
            sys.exit(2)
        told = plain(f"{type(error).__name__}: {error}")[:500]
        print(f"xfcheck: internal error: {told}; please report it (XFCHECK_TRACEBACK=1 shows where)", file=sys.stderr)
        sys.exit(2)


def _listed() -> None:
    """Stands for a command whose module nobody needs: it is listed, not run."""


def _epilog(name: str | None, arguments: list[str]) -> str | None:
    """The examples of a command, for who asks for help."""
    if name is None or "--help" not in arguments:
        return None
    from .examples import EXAMPLES

    return "\n\n".join(["Examples:", *EXAMPLES.get(name, ())])
