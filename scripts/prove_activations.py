"""Count what training keeps on transformers' classes; write the types whose closed forms hold: `xfcheck/accounting/saved/_verified.json`.

Each type's class default is scaled down and run on the CPU in 32 bits, with eager attention and experts and without dropout, once with few
tokens and once with more than a chunk or a block of any recurrence takes. `--types a,b` counts these alone and keeps the others' entries,
`--check` writes nothing and exits 1 where the file says something else.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import sys
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from signal import SIGALRM, alarm, signal
from typing import TYPE_CHECKING, Any

from xfcheck.accounting.run import Run
from xfcheck.accounting.saved import passed
from xfcheck.accounting.saved.tape import UnknownError
from xfcheck.families._classes import known_types
from xfcheck.model import understand
from xfcheck.shrink import shrink

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "xfcheck" / "accounting" / "saved" / "_verified.json"
LENGTHS = ((11, 7), (70, 9))
"""Tokens of a decoder or a model alone, tokens of an encoder beside a decoder."""
BATCH, LARGEST, SECONDS = 2, 20_000_000, 120


def main() -> int:
    """Count, report, write or check; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--types", default="", help="model types, separated by commas; default: all that transformers has and a family reads"
    )
    parser.add_argument("--check", action="store_true", help="compare with the file, write nothing")
    given = parser.parse_args()
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error")
    index = json.loads((ROOT / "xfcheck" / "families" / "_index.json").read_text())
    types = [t for t in given.types.split(",") if t] or [t for t in sorted(index) if t in known_types()]
    old = set(json.loads(TARGET.read_text())["types"])
    new = set(old)
    for model_type in types:
        said = verdict(model_type)
        print(f"{model_type}: {said}", flush=True)
        (new.add if said == "agreed" else new.discard)(model_type)
    if given.check:
        print("as the file says" if new == old else f"otherwise: {', '.join(sorted(new ^ old))}")
        return int(new != old)
    date = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    body = ",\n".join(f" {json.dumps(t)}" for t in sorted(new))
    TARGET.write_text(f'{{\n"reference": "{reference()}",\n"date": "{date}",\n"types": [\n{body}\n]\n}}\n')
    return 0


def reference() -> str:
    """What was counted on."""
    import transformers

    return f"transformers {transformers.__version__}, eager, 32 bits"


def verdict(model_type: str) -> str:
    """`agreed`, or what differs, is not known or cannot be run."""
    try:
        with bounded(SECONDS):
            gaps = [gap(model_type, tokens, source) for tokens, source in LENGTHS]
    except UnknownError as component:
        return f"no closed form for {component}"
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:120]}"
    return "agreed" if not any(gaps) else f"the class keeps {', '.join(f'{g:+,}' for g in gaps)} bytes"


def gap(model_type: str, tokens: int, source: int) -> int:
    """Bytes that the class keeps beyond the closed form."""
    import torch

    from xfcheck.verification.against import class_name
    from xfcheck.verification.reference import instance
    from xfcheck.verification.saved import saved_bytes

    small = shrink(understand({"model_type": model_type}, None))  # type: ignore[arg-type]
    a = small.model.architecture
    alone = all(stack.stream == "encoder" for stack in a.stacks)
    run = Run(BATCH, tokens, 0, tokens if alone else source)
    want = passed(a, run, 4, tiled=False, loss=False).total
    named = class_name(small.model)
    if named is None or small.parameters > LARGEST:
        raise ValueError("no class to run")
    model = instance(small.data, named, "cpu")
    ids = torch.arange(BATCH * tokens).view(BATCH, tokens) % 40 + 8
    both = bool(getattr(model.config, "is_encoder_decoder", False))
    taken = {"input_ids": ids[:, :source], "decoder_input_ids": ids} if both else {"input_ids": ids}
    if "use_cache" in signature(model.forward).parameters:
        taken["use_cache"] = False
    return saved_bytes(lambda: model(**taken), [*model.parameters(), *model.buffers()]) - want


@contextmanager
def bounded(seconds: int) -> Iterator[None]:
    """Raise TimeoutError after so long."""

    def late(*_: Any) -> None:
        raise TimeoutError(f"more than {seconds} s")

    signal(SIGALRM, late)
    alarm(seconds)
    try:
        yield
    finally:
        alarm(0)


if __name__ == "__main__":
    sys.exit(main())
