"""Where xfcheck and transformers differ on one config, part by part."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from xfcheck.accounting.budget import encodes_only
from xfcheck.accounting.cache import cache
from xfcheck.accounting.flops import forward
from xfcheck.accounting.parameters import parameters
from xfcheck.accounting.run import Run
from xfcheck.documents.folder import open_model
from xfcheck.ledger import expand, modules
from xfcheck.model import Model, load
from xfcheck.problems import Refused

from .built import Built, facts, instance
from .executed import Executed, executed, said
from .reached import active
from .tiny import sizes

if TYPE_CHECKING:
    from collections.abc import Iterable

PARTS = ("parameters", "active", "flops", "cache")
STRICTER = ("XF102", "XF114", "XF117", "XF118", "XF121")
"""Rules that are errors although the reference runs what they forbid: odd widths, sizes of zero, patterns that do not fit."""

LARGEST_RUN = 100_000_000
"""Parameters above which a config is not executed: an absent key may bring a class default of full size."""

SHOWN = 3
"""How many differing tensors a message names."""


@dataclass
class Verdict:
    """What came of one config.

    `found` has the differences of each part; `checked` the parts that the reference gave facts for; `outcome` is `compared`, `both_refuse`,
    `reference_refuses`, `refused` (it builds and does not run), `stricter` (it runs, and a rule of the linter forbids it), `estimated`
    (xfcheck says itself that it guesses here), or `crashed`.
    """

    outcome: str = "compared"
    found: dict[str, list[str]] = field(default_factory=dict)
    checked: set[str] = field(default_factory=set)
    notes: dict[str, str] = field(default_factory=dict)

    def differ(self, part: str, *messages: str) -> None:
        """Add differences to a part."""
        if messages:
            self.found.setdefault(part, []).extend(messages)

    def differ_everywhere(self, message: str) -> None:
        """The same difference in all parts."""
        for part in PARTS:
            self.differ(part, message)


def compared(data: dict[str, Any], *, run: bool = True, torch_counts: bool = False) -> Verdict:
    """Build the config in transformers and read it with xfcheck. `run` also executes it; `torch_counts` as in `executed`."""
    verdict = Verdict()
    try:
        model: Model | None = read(data)
        refusal = ""
    except Refused as problem:
        model, refusal = None, f"{problem.code} {problem.message}"
    except Exception as error:
        verdict.outcome = "crashed"
        verdict.differ_everywhere(f"xfcheck raises {said(error)}")
        return verdict
    run = run and model is not None and parameters(model.rows)["total"] < LARGEST_RUN  # type: ignore[operator]
    try:
        reference = instance(data, device="cpu" if run else "meta")
    except Exception as error:
        verdict.outcome = "both_refuse" if model is None else "reference_refuses"
        verdict.notes["reference"] = said(error)
        return verdict
    if model is None:
        return refused(verdict, data, refusal)
    if model.settings.reading.estimated:
        verdict.outcome = "estimated"
        return verdict
    try:
        held = facts(reference)
    except Exception as error:  # it can be built and not be saved
        verdict.outcome = "reference_refuses"
        verdict.notes["reference"] = said(error)
        return verdict
    verdict.differ("parameters", *ledger(model, held))
    verdict.checked.add("parameters")
    if run:
        ran(verdict, reference, model, torch_counts)
    return verdict


def read(data: dict[str, Any]) -> Model:
    """xfcheck's reading of the same file. Raises Refused."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_text(json.dumps(data))
        return load(open_model(folder))


def refused(verdict: Verdict, data: dict[str, Any], why: str) -> Verdict:
    """A config that transformers builds and xfcheck refuses: right only where it cannot run."""
    verdict.outcome = "stricter" if why[:5] in STRICTER else "refused"
    if verdict.outcome == "stricter":
        return verdict
    held = executed(instance(data, device="cpu"), step=False)
    if held.prefill is not None:
        verdict.differ_everywhere(f"xfcheck refuses ({why}), the reference builds and runs it")
    return verdict


def ledger(model: Model, held: Built) -> list[str]:
    """Names, shapes, kinds, ties and totals of the checkpoint, and the names of the modules."""
    out = []
    rows = model.rows
    on_disk = {"not_loaded", "unsaved"}
    stored = named((name, row.stored_shape) for name, row in expand(rows) if row.tied_to is None and row.kind not in on_disk)
    out += unlike("checkpoint", stored, held.saved)
    buffers = named((name, row.shape) for name, row in expand(rows) if row.kind == "buffer" and row.tied_to is None)
    if stored == held.saved:
        in_file = sum(_elements(s) for n, s in held.saved.items())
        wanted = sum(_elements(s) for s in held.buffers.values())
        have = sum(_elements(s) for s in buffers.values())
        if have != wanted and in_file != held.unique + have:
            out.append(f"buffers: {have} elements, reference {wanted}")
    total = parameters(rows)["total"]
    if total != held.unique:
        out.append(f"total: {total}, reference {held.unique}")
    for name, row in expand(rows):
        if (
            row.tied_to is not None
            and {name, row.tied_to} <= set(held.parameters)
            and not any({name, row.tied_to} <= group for group in held.tied)
        ):
            out.append(f"tied: {name} is not {row.tied_to} in the reference")
    return [*out, *module_names(model, held)]


def module_names(model: Model, held: Built) -> list[str]:
    """The same under the names of transformers' modules."""
    have = named((name, row.shape) for name, row in expand(modules(model.rows)) if row.kind != "not_loaded" and row.tied_to is None)
    first = {name for group in held.tied for name in group if name not in have}
    return unlike("modules", have, {n: s for n, s in {**held.parameters, **held.buffers}.items() if n not in first})


def named(pairs: Iterable[tuple[str, tuple[int, ...]]]) -> dict[str, tuple[int, ...]]:
    """Names and shapes; a name given twice is marked, so that it differs from the reference."""
    out: dict[str, tuple[int, ...]] = {}
    for name, shape in pairs:
        out[f"{name} (twice)" if name in out else name] = tuple(shape)
    return out


def unlike(where: str, have: dict[str, tuple[int, ...]], want: dict[str, tuple[int, ...]]) -> list[str]:
    """The first tensors that are missing, too many or of another shape."""
    out = []
    missing, extra = sorted(want.keys() - have.keys()), sorted(have.keys() - want.keys())
    shaped = sorted(n for n in want.keys() & have.keys() if want[n] != have[n])
    if missing:
        out.append(f"{where}: {len(missing)} missing: {', '.join(f'{n} {list(want[n])}' for n in missing[:SHOWN])}")
    if extra:
        out.append(f"{where}: {len(extra)} not there: {', '.join(f'{n} {list(have[n])}' for n in extra[:SHOWN])}")
    if shaped:
        out.append(
            f"{where}: {len(shaped)} of another shape: "
            + ", ".join(f"{n} {list(have[n])}, reference {list(want[n])}" for n in shaped[:SHOWN])
        )
    return out


def ran(verdict: Verdict, reference: Any, model: Model, torch_counts: bool) -> None:
    """Compare FLOPs, cache and active parameters with a run."""
    held = executed(reference, torch_counts=torch_counts, **sizes()["runs"].get(model.model_type, {}))
    verdict.notes.update(held.trouble)
    source = held.source if any(s.stream == "encoder" for s in model.architecture.stacks) else 0
    flops(verdict, model, held, source)
    kept(verdict, model, held, source)
    reached = active(reference)
    if reached is not None:
        verdict.checked.add("active")
        have = parameters(model.rows)["active"]["total"]  # type: ignore[index]
        if have != reached:
            verdict.differ("active", f"active: {have}, reference {reached}")


def flops(verdict: Verdict, model: Model, held: Executed, source: int) -> None:
    """Prefill and one step."""
    if held.prefill is None:
        return
    verdict.checked.add("flops")
    rows, a = model.rows, model.architecture
    for name, run, want in (
        ("prefill", Run(held.batch, held.tokens, 0, source), held.prefill),
        ("decode", Run(held.batch, 1, held.tokens, source), held.decode),
    ):
        if want is None:
            continue
        if name == "decode" and encodes_only(a):
            verdict.differ("flops", "decode: xfcheck has none, the reference keeps a cache")
            continue
        have = forward(a, rows, run)
        if have["total_full"] != want:
            parts = ", ".join(f"{k} {have[k]}" for k in ("matmul", "attention_full", "scan"))
            verdict.differ("flops", f"{name}: {have['total_full']} ({parts}), reference {want}: {have['total_full'] - want:+}")


def kept(verdict: Verdict, model: Model, held: Executed, source: int) -> None:
    """Bytes of the cache after the prefill and after one more token."""
    for name, context, want in (("prefill", held.tokens, held.cache), ("one more token", held.tokens + 1, held.later)):
        if want is None:
            continue
        verdict.checked.add("cache")
        have = cache(model.architecture, batch=held.batch, context=context, source=source, dtype=held.dtype, engine="transformers")
        if have["bytes"] != want:
            groups = ", ".join(f"{g['count']} {g['kind']} of {g['tokens']} tokens {g['bytes']}" for g in have["layers"])
            verdict.differ("cache", f"cache after {name}: {have['bytes']} ({groups}), reference {want}: {have['bytes'] - want:+}")


def _elements(shape: tuple[int, ...]) -> int:
    out = 1
    for side in shape:
        out *= side
    return out
