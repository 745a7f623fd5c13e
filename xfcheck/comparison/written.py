"""Variants written out as files that every command reads."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from ..problems import Usage
from .draft import CARRIED, VariedFolder

if TYPE_CHECKING:
    from .compare import Comparison
    from .draft import Draft


def write_out(comparisons: list[Comparison], folder: str) -> list[str]:
    """One folder a variant: its `config.json`, or `config.yaml` where it is a model description, and the files beside it that still fit.

    Of several comparisons each has a folder of its own. Returns the paths of the configs. Raises Usage where they cannot be written.
    """
    out: list[str] = []
    for number, comparison in enumerate(comparisons, 1):
        inside = Path(folder) if len(comparisons) == 1 else Path(folder) / str(number)
        out += [write_draft(each.draft, inside / file_name(each.name)) for each in comparison.entries if each.draft is not None]
    return out


def write_text(body: str, output: str | None) -> None:
    """As `answers.write`, but a device or a pipe that is there is written to, never replaced by a file.

    Raises Usage where it cannot be written.
    """
    from ..cli.answers import write

    if not special(output):
        write(body, output)
        return
    try:
        with Path(str(output)).open("w", encoding="utf-8", newline="\n") as file:
            file.write(body)
    except OSError as error:
        raise Usage(f"{output} cannot be written: {error.strerror}") from error


def special(output: str | None) -> bool:
    """Whether there is something at a path that is no regular file."""
    return output is not None and Path(output).exists() and not Path(output).is_file()


def file_name(name: str) -> str:
    """A variant's name as the name of a folder: `gqa:8, layers=16` is `gqa-8_layers-16`."""
    return re.sub(r"[^A-Za-z0-9.+_-]+", "-", name.replace(", ", "_")).strip("-.") or "variant"


def write_draft(draft: Draft, folder: Path) -> str:
    """Write one variant into a folder, which is made. Returns the path of its config."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if draft.native:
            import yaml

            path = folder / "config.yaml"
            path.write_text(yaml.safe_dump(draft.data, sort_keys=False, allow_unicode=True, width=120), encoding="utf-8")
        else:
            path = folder / "config.json"
            path.write_text(json.dumps(draft.data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        if isinstance(draft.model.folder, VariedFolder):
            for name in CARRIED:
                beside = draft.model.folder.side(name)
                if beside is not None:
                    (folder / name).write_text(beside.text, encoding="utf-8")
    except OSError as error:
        raise Usage(f"--write: {folder} cannot be written: {error.strerror}") from error
    return str(path)
