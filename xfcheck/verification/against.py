"""A reference beside the build: transformers in a child process, or the headers of a checkpoint."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ..accounting.budget import encodes_only
from ..accounting.cache import cache
from ..accounting.flops import forward
from ..accounting.run import Run
from ..accounting.saved import held
from ..accounting.saved.tape import UnknownError
from ..ledger import expand, modules, total
from ..problems import Refused, Usage
from .check import Check, compared, unknown
from .saved import expected

if TYPE_CHECKING:
    from ..model import Model

BATCH, TOKENS, SOURCE = 2, 11, 7
LARGEST_RUN = 20_000_000
"""Parameters of a scaled-down config above which the reference is built but not run."""
SHOWN = 3
KINDS = {"none": "base"}
"""Head kinds of an architecture -> of the class tables, where they differ."""
ALL = (
    "transformers.total", "transformers.tensors", "transformers.flops.prefill", "transformers.flops.decode", "transformers.cache.bytes",
    "transformers.activations.saved",
)  # fmt: skip


def reference(model: Model, against: str, *, timeout: int) -> list[Check]:
    """`transformers`, or a checkpoint's path. Raises Usage where it is neither."""
    if against == "transformers":
        return transformers(model, timeout)
    if not os.path.lexists(against):
        raise Usage(f"--against is transformers or a checkpoint; {against}: no such file or folder")
    return checkpoint(model, against)


def checkpoint(model: Model, path: str) -> list[Check]:
    """Names, shapes and dtypes of a checkpoint's headers against the ledger, and its files: the comparison of `tensors --against`."""
    from ..checkpoint.against import against
    from ..checkpoint.files import open_checkpoint

    opened = open_checkpoint(path)
    done = against(model, opened)
    parts = {"missing": done.missing, "unexpected": done.unexpected, "another shape": done.shape, "another dtype": done.dtype}
    wrong = [
        f"{sum(e.tensors for e in found)} {word}: {', '.join(e.name for e in found[:SHOWN])}" for word, found in parts.items() if found
    ] + opened.faults[:SHOWN]
    why = "; ".join(wrong) or f"names {done.naming}, {'from headers' if done.headers else 'from an index, which has no shapes'}"
    return [Check("checkpoint.tensors", done.expected, done.found, "differs" if wrong else "agreed", why)]


def transformers(model: Model, timeout: int) -> list[Check]:
    """The full config built on meta, a scaled-down one run: names and shapes of modules, totals, FLOPs, cache."""
    from ..shrink import shrink

    if find_spec("transformers") is None:
        return [unknown(check, "transformers is not installed: pip install transformers") for check in ALL]
    named = class_name(model)
    if named is None or model.settings.table is None or model.settings.table.published is not None:
        return [unknown(check, "transformers has no class for this model") for check in ALL]
    try:
        small = shrink(model)
    except Refused:
        small = None
    runs = small is not None and small.parameters <= LARGEST_RUN
    ask = {
        "config": dict(model.settings.data), "class": named, "small": small.data if small is not None and runs else None,
        "batch": BATCH, "tokens": TOKENS, "source": SOURCE, "step": not encodes_only(model.architecture),
    }  # fmt: skip
    told = _child(ask, timeout)
    if "error" in told:
        return [unknown(check, told["error"]) for check in ALL]
    why = f"transformers {told['version']}, {named}"
    out = [compared("transformers.total", total(model.rows), told["total"], why), _tensors(model, told, why)]
    if small is None or "ran" not in told:
        return out + [unknown(check, told.get("trouble") or "no scaled-down config to run") for check in ALL[2:]]
    return out + _ran(small.model, told["ran"], why)


def class_name(model: Model) -> str | None:
    """The class that `architectures[0]` names, else the type's class for the head that was read; null without one."""
    table = model.settings.table
    if table is None:
        return None
    given = model.settings.data.get("architectures")
    if isinstance(given, list) and given and given[0] in table.architectures:
        return str(given[0])
    kind = KINDS.get(model.architecture.head.kind, model.architecture.head.kind)
    return next((name for name, has in table.architectures.items() if has == kind), None)


def _child(ask: dict[str, Any], timeout: int) -> dict[str, Any]:
    """What the child process answers, or an error: a build may abort the interpreter, and a run may hang."""
    command = [sys.executable, "-m", "xfcheck.verification.reference"]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error", "CUDA_VISIBLE_DEVICES": ""}
    try:
        done = subprocess.run(command, input=json.dumps(ask), capture_output=True, text=True, timeout=timeout, check=False, env=environment)
    except subprocess.TimeoutExpired:
        return {"error": f"transformers took more than {timeout} s"}
    lines = done.stdout.strip().splitlines()
    try:
        answer: dict[str, Any] = json.loads(lines[-1]) if lines else {}
    except ValueError:
        answer = {}
    return answer or {"error": f"the child process ended with {done.returncode}: {' '.join(done.stderr.split())[-200:]}"}


def _tensors(model: Model, told: dict[str, Any], why: str) -> Check:
    """Every tensor of the modules by name and shape; a tied one stands once, under the name that the ledger holds it by."""
    have = {name: list(row.shape) for name, row in expand(modules(model.rows)) if row.kind != "not_loaded" and row.tied_to is None}
    aliases = {name for group in told["tied"] for name in group if name not in have}
    want = {name: shape for name, shape in {**told["parameters"], **told["buffers"]}.items() if name not in aliases}
    missing, extra = sorted(want.keys() - have.keys()), sorted(have.keys() - want.keys())
    shaped = sorted(name for name in want.keys() & have.keys() if want[name] != have[name])
    parts = {"only in transformers": missing, "only in the ledger": extra, "of another shape": shaped}
    said = [f"{len(names)} {word}: {', '.join(names[:SHOWN])}" for word, names in parts.items() if names]
    return Check(
        "transformers.tensors",
        len(have),
        len(want),
        "differs" if said else "agreed",
        "; ".join(said) or f"names and shapes of modules; {why}",
    )


def _ran(small: Model, ran: dict[str, Any], why: str) -> list[Check]:
    a, source = small.architecture, ran["source"] if any(s.stream == "encoder" for s in small.architecture.stacks) else 0
    at = f"{why}, {total(small.rows):,} parameters, run on the CPU in 32 bits, eager"
    out = []
    passes = {"prefill": Run(BATCH, TOKENS, 0, source), "decode": Run(BATCH, 1, TOKENS, source)}
    for name, run in passes.items():
        if ran.get(name) is None:
            out.append(unknown(f"transformers.flops.{name}", ran.get("trouble") or "the reference has no such pass"))
        else:
            out.append(compared(f"transformers.flops.{name}", forward(a, small.rows, run)["total_full"], ran[name], at))
    if ran.get("cache") is None:
        out.append(unknown("transformers.cache.bytes", ran.get("trouble") or "the reference hands out no cache"))
    else:
        kept = cache(a, batch=BATCH, context=TOKENS, source=source, dtype="float32", engine="transformers")["bytes"]
        out.append(compared("transformers.cache.bytes", kept, ran["cache"], at))
    return [*out, _saved(small, ran, source, at)]


def _saved(small: Model, ran: dict[str, Any], source: int, at: str) -> Check:
    """What a pass keeps for the backward one.

    The closed forms are of the generic modules: a class that composes its operations otherwise is no fault of theirs, and is told of.
    """
    name = "transformers.activations.saved"
    if ran.get("saved") is None:
        return unknown(name, ran.get("saved_trouble") or "the reference was not run with gradients")
    try:
        want = expected(small.architecture, source=source)
    except UnknownError as component:
        return unknown(name, f"no closed form for {component}")
    if want != ran["saved"] and not held(small.model_type):
        gap = f"the class keeps {ran['saved'] - want:+,} bytes, as it composes its operations otherwise than the generic modules"
        return Check(name, want, ran["saved"], "not_verified", gap)
    return compared(name, want, ran["saved"], at)
