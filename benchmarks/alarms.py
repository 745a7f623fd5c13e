"""Count the findings of each rule over many configs: what a rule says of published models is its false-alarm rate.

usage: python benchmarks/alarms.py PATH... [--rules XF1,XF403] [--infos] [--show N]

PATH is a config, a folder to search, or a `.jsonl` file with a config a line (the object itself, or its `config`, with `side_files` by
name). Prints a line a rule and severity: findings, configs with one, share of all configs; `--show N` prints the first N findings of each.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from xfcheck.documents.folder import open_model
from xfcheck.documents.search import find_configs
from xfcheck.rules._engine import lint
from xfcheck.rules._selection import Selection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xfcheck.rules._finding import Finding


def configs(path: Path, work: Path) -> Iterator[str]:
    """The configs of one argument, those of a `.jsonl` file laid out as folders below `work`."""
    if path.suffix != ".jsonl":
        yield from find_configs(str(path)) if path.is_dir() else [str(path)]
        return
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines()):
        if text.strip():
            yield str(laid(json.loads(text), work / f"{path.stem}-{number}"))


def laid(item: dict[str, Any], folder: Path) -> Path:
    """One line of a `.jsonl` file as a model folder."""
    folder.mkdir(parents=True)
    config = item["config"] if isinstance(item.get("config"), dict) else item
    files = {"config.json": config, **(item.get("side_files") or {})}
    for name, content in files.items():
        if content is not None and Path(name).name == name:
            (folder / name).write_text(content if isinstance(content, str) else json.dumps(content, indent=1), encoding="utf-8")
    return folder


def counted(paths: list[str], *, infos: bool) -> tuple[dict[tuple[str, str], list[tuple[str, Finding]]], int]:
    """Findings by code and severity with their configs, and how many configs were read."""
    found: dict[tuple[str, str], list[tuple[str, Finding]]] = defaultdict(list)
    selection = Selection(extend=("ALL",)) if infos else Selection()
    for path in paths:
        for finding in lint(open_model(path), selection).findings:
            if infos or finding.severity != "info":
                found[finding.code, finding.severity].append((path, finding))
    return found, len(paths)


def main() -> int:
    """Read the arguments, count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--rules", default="", help="only codes that begin with one of these")
    parser.add_argument("--infos", action="store_true", help="infos as well")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="the first N findings of each")
    asked = parser.parse_args()
    wanted = tuple(asked.rules.split(",")) if asked.rules else ("",)
    with TemporaryDirectory() as work:
        paths = [config for path in asked.paths for config in configs(path, Path(work))]
        found, read = counted(paths, infos=asked.infos)
    for (code, severity), rows in sorted(found.items()):
        if code.startswith(wanted):
            hit = Counter(path for path, _ in rows)
            print(f"{code} {severity:7} {len(rows):6} findings in {len(hit):5} of {read} configs ({len(hit) / read:.1%})")
            for path, finding in rows[: asked.show]:
                print(f"    {path} {finding.pointer}: {finding.message}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
