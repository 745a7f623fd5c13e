"""Hold every family to transformers and write `xfcheck/families/_verified.json`: which parts of which types are exact.

A part is listed where the base config and every variant of the type agree with the reference in it. `--types a,b` proves these
alone and keeps the others' entries, `--check` writes nothing and exits 1 where the file says something else, `--jobs N` uses N processes.
"""

from __future__ import annotations

import argparse
import datetime
import json
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xfcheck.families._classes import known_types

ROOT = Path(__file__).resolve().parents[1]
FAMILIES = ROOT / "xfcheck" / "families"
TARGET = FAMILIES / "_verified.json"
sys.path.insert(0, str(ROOT / "tests"))

if TYPE_CHECKING:
    from reference.proof import Proof


def proof_of(model_type: str) -> Proof:
    """The whole proof of one type, in a process of its own."""
    from reference.proof import prove

    return prove(model_type)


def main() -> int:
    """Prove, report, write or check; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--types", default="", help="model types, separated by commas; default: all that transformers has and a family reads"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--check", action="store_true", help="compare with the file, write nothing")
    parser.add_argument("--reports", type=Path, help="a folder that gets one text file a type that differs")
    given = parser.parse_args()
    known = [t for t in sorted(json.loads((FAMILIES / "_index.json").read_text())) if t in known_types()]
    asked = [t for t in given.types.split(",") if t] or known
    unknown = sorted(set(asked) - set(known))
    if unknown:
        parser.error(f"no family reads {', '.join(unknown)}")
    stale = []
    for proof in proofs(asked, given.jobs):
        report(proof, given.reports)
        if verified().get(proof.model_type, []) != proof.proven:
            stale.append(f"{proof.model_type}: {', '.join(proof.proven) or 'nothing'}")
        if not given.check:
            write(proof)
    if given.check:
        print(f"{len(asked) - len(stale)} of {len(asked)} types as the file says", *stale, sep="\n  ")
    return int(given.check and bool(stale))


def verified() -> dict[str, list[str]]:
    """The file's entries for types that are still read, and built by the reference."""
    known = set(json.loads((FAMILIES / "_index.json").read_text())) & known_types()
    return {t: parts for t, parts in json.loads(TARGET.read_text())["types"].items() if t in known}


def proofs(types: list[str], jobs: int) -> Any:
    """The proofs as they are made. Each process starts afresh, for torch does not survive a fork."""
    if jobs <= 1:
        for model_type in types:
            yield proof_of(model_type)
        return
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"), max_tasks_per_child=40) as pool:
        for future in as_completed([pool.submit(proof_of, t) for t in types]):
            yield future.result()


def report(proof: Proof, folder: Path | None) -> None:
    """One line a type, its differences below, and in a file where a folder is given."""
    counts = ", ".join(f"{n} {what}" for what, n in sorted(proof.outcomes.items()))
    print(f"{proof.model_type}: {', '.join(proof.proven) or 'nothing proven'} ({counts})", flush=True)
    lines = [*proof.lines(shown=200), *(f"{proof.model_type} base: {what}: {why}" for what, why in proof.notes.items())]
    for line in lines[:8]:
        print(f"  {line[:300]}", flush=True)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{proof.model_type}.txt"
        if lines:
            file.write_text("\n".join(lines) + "\n")
        else:
            file.unlink(missing_ok=True)


def write(proof: Proof) -> None:
    """Put one type's parts into the file, one type a line; the others' entries stay."""
    from reference.proof import REFERENCE

    listed = {**verified(), proof.model_type: proof.proven}
    body = ",\n".join(f" {json.dumps(t)}: {json.dumps(parts)}" for t, parts in sorted(listed.items()) if parts)
    date = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    TARGET.write_text(f'{{\n"reference": "{REFERENCE}",\n"date": "{date}",\n"types": {{\n{body}\n}}\n}}\n')


if __name__ == "__main__":
    sys.exit(main())
