"""Attention on one GPU: correctness, MHA, GQA and MQA at three head widths, prefill and decode, ceilings; JSON and Markdown into a folder.

    python benchmarks/attention_gpu.py results
    python benchmarks/attention_gpu.py results --device cpu --small    # the same way through, in seconds

Shapes as in the papers of FlashAttention-2 and -3: 16k tokens in all, heads that make a width of 2,048, bf16. Each part is written when it
is done, so that a run that is cut short leaves what it has; none begins after `--budget-seconds` (200: a run ends under four minutes).
Needs xfcheck with the extra `torch`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xfcheck import __version__
from xfcheck.kernels.backends import found
from xfcheck.kernels.case import Case
from xfcheck.kernels.explain import explained
from xfcheck.kernels.layers import varied
from xfcheck.kernels.machine import device, measured, pin
from xfcheck.kernels.measure import Request, Session, begin, run
from xfcheck.kernels.recurrence import Recurrence
from xfcheck.kernels.report import HEADS, as_markdown, cells, device_in_words, notes
from xfcheck.kernels.support import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xfcheck.kernels.backend import Backend

Group = tuple[list[Any], str]


@dataclass(frozen=True)
class Sizes:
    """What is measured where: `tokens` in all, a `width` of all heads, contexts, sequences of a decoding step, rounds, threads of a CPU."""

    tokens: int
    width: int
    contexts: tuple[int, ...]
    steps: int
    dtype: str
    heads: tuple[int, ...] = (64, 128, 256)
    rounds: int = 7
    threads: int | None = None


LARGE = Sizes(16384, 2048, (2048, 4096, 8192, 16384), 8, "bfloat16")
SMALL = Sizes(64, 512, (32, 64), 2, "float32", rounds=3, threads=1)


def base(sizes: Sizes, head_dim: int, phase: str, context: int, new: int = 1) -> Case:
    """MHA at a length: a prefill of all tokens, or a step of `new` queries of each of some sequences."""
    heads = sizes.width // head_dim
    prefill = phase == "prefill"
    batch = max(1, sizes.tokens // context) if prefill else sizes.steps
    return Case(phase, batch, context if prefill else new, context, heads, heads, head_dim, head_dim, sizes.dtype)


def prefill(sizes: Sizes) -> Iterator[Group]:
    """MHA, GQA and MQA, causal, every width and context."""
    for context in sizes.contexts:
        for width in sizes.heads:
            yield list(varied(base(sizes, width, "prefill", context))), "forward"


def decode(sizes: Sizes) -> Iterator[Group]:
    """One query over every context, then four (speculative decoding) at the middle width."""
    for context in sizes.contexts:
        for width in sizes.heads:
            yield list(varied(base(sizes, width, "decode", context))), "forward"
    for context in sizes.contexts:
        yield list(varied(base(sizes, sizes.heads[1], "decode", context, new=4))), "forward"


def backward(sizes: Sizes) -> Iterator[Group]:
    """The same prefills at the middle width."""
    for context in sizes.contexts:
        yield list(varied(base(sizes, sizes.heads[1], "prefill", context))), "backward"


def others(sizes: Sizes) -> Iterator[Group]:
    """A sliding window, packed documents, a prefix, no mask; latent attention in both forms; recurrences."""
    context = sizes.contexts[1]
    plain = replace(base(sizes, sizes.heads[1], "prefill", context), variant="mha")
    quarter = context // 4
    yield [
        replace(plain, kind="sliding", window=quarter),
        replace(plain, kind="document", window=quarter),
        replace(plain, kind="prefix", prefix=quarter), replace(plain, kind="bidirectional"),
    ], "forward"  # fmt: skip
    heads = sizes.width // 128 or 1
    executed = replace(
        plain, query_heads=heads, kv_heads=heads, head_dim=192, value_dim=128, variant="mla executed", mixer="latent_attention"
    )
    absorbed = replace(executed, kv_heads=1, head_dim=576, value_dim=512, latent=True, scale=192**-0.5, variant="mla absorbed")
    yield [executed], "forward"
    yield [replace(c, phase="decode", query_length=1, batch=sizes.steps) for c in (executed, absorbed)], "forward"
    mamba2 = Recurrence("prefill", plain.batch, context, 0, 2 * heads, 1, 128, 64, sizes.dtype, chunk=min(256, context), mixer="mamba2")
    yield [mamba2, replace(mamba2, groups=2 * heads, delta=True, chunk=64, mixer="gated_delta")], "forward"


def compiled(sizes: Sizes) -> Iterator[Group]:
    """FlexAttention at the middle width: each shape is compiled anew, so a few."""
    plain = replace(base(sizes, sizes.heads[1], "prefill", sizes.contexts[1]), variant="mha")
    grouped = replace(plain, kv_heads=max(1, plain.query_heads // 4), variant="gqa")
    for case in (plain, grouped, replace(plain, kind="sliding", window=sizes.contexts[1] // 4)):
        yield [case], "forward"


PARTS: tuple[tuple[str, Callable[[Sizes], Iterator[Group]], tuple[str, ...], float], ...] = (
    ("prefill", prefill, ("eager", "flex"), 0.5),
    ("decode", decode, ("eager", "flex"), 0.8),
    ("backward", backward, ("eager", "sdpa-math", "flex"), 0.9),
    ("other masks, latent attention, recurrences", others, ("eager", "flex", "torch-recurrent"), 0.95),
    ("FlexAttention", compiled, (), 1.0),
)
"""Name, groups, kernels that are left out, and the share of the time by which the part ends; what one leaves goes to the next."""


def correctness(session: Session, dtype: str) -> list[dict[str, Any]]:
    """Every feature of every kernel against the 64-bit reference; compiled kernels have their own part."""
    return table([b for b in session.backends if not b.costly], dtype, session.where)


def asked_for(where: Any) -> list[Backend]:
    """Compiled kernels too, on a GPU: a CPU compiles for minutes."""
    return found(where) if where.type == "cuda" else []


def markdown(report: dict[str, Any]) -> str:
    """Tables whose every row names the device."""
    name = device_in_words(report["device"])
    lines = [f"# Attention on {name}", "", f"xfcheck {report['xfcheck']}, {report['dtype']}, {report['seconds']:.0f} s.", ""]
    lines += as_markdown(("device", "ceiling", "TFLOP/s", "GB/s"), [
        (name, what, f"{roof['flops_per_s'] / 1e12:.4g}", f"{roof['bytes_per_s'] / 1e9:.4g}") for what, roof in report["ceilings"].items()
    ])  # fmt: skip
    lines += ["", f"Kernels that are not here: {'; '.join(f'{n}: {w}' for n, w in report['not_here'].items()) or 'none'}.", ""]
    wrong = [r for r in report["correctness"] if not r["works"]]
    lines += [f"## Correctness: {len(report['correctness']) - len(wrong)} of {len(report['correctness'])}", ""]
    body = [
        (name, r["backend"], r["feature"], "yes" if r["works"] else "no", _error(r), r["why"] or "") for r in report["correctness"]
    ]  # fmt: skip
    lines += [*as_markdown(("device", "kernel", "feature", "works", "error", "why"), body), ""]
    for part in report["parts"]:
        lines += [f"## {part['name']}", "", *as_markdown(("device", *HEADS), [(name, *cells(r)) for r in part["rows"]]), ""]
        lines += [f"- {told}" for told in [*part["explained"], *notes({**part, "not_measured": []})]] + [""]
    return "\n".join(lines)


def _error(row: dict[str, Any]) -> str:
    return "-" if row["max_abs_error"] is None else f"{row['max_abs_error']:.1e}"


def roof_of(given: Any) -> dict[str, Any]:
    """A ceiling for the report."""
    return {"flops_per_s": given.flops_per_s, "bytes_per_s": given.bytes_per_s, "source": given.source}


def written(report: dict[str, Any], folder: Path, started: float) -> None:
    """Both files, whole."""
    report["seconds"] = time.monotonic() - started
    for name, text in (("attention.json", json.dumps(report, indent=1)), ("attention.md", markdown(report))):
        whole = folder / f".{name}"
        whole.write_text(text + "\n", encoding="utf-8")
        whole.replace(folder / name)


def main() -> int:
    """Measure; 0, or 130 where it was interrupted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", help="where the files go")
    parser.add_argument("--device", choices=("cpu", "cuda"), help="default: a GPU where there is one")
    parser.add_argument("--small", action="store_true", help="small shapes, for a CPU")
    parser.add_argument("--budget-seconds", type=float, default=200.0)
    asked = parser.parse_args()
    started = time.monotonic()
    where = device(asked.device)
    sizes = SMALL if asked.small else LARGE
    cores = pin(sizes.threads) if where.type == "cpu" else []
    folder = Path(asked.folder)
    folder.mkdir(parents=True, exist_ok=True)
    session = begin(Request((), (), 1, 1, sizes.dtype, budget_seconds=asked.budget_seconds, rounds=sizes.rounds), where, cores)
    session.tell = lambda what: print(f"{time.monotonic() - started:6.1f} s  {what}", file=sys.stderr, flush=True)
    roofs = {"used": roof_of(session.ceilings)}
    if not session.ceilings.measured:
        roofs["measured"] = roof_of(measured(where, sizes.dtype))
    report: dict[str, Any] = {
        "xfcheck": __version__, "device": session.device, "dtype": sizes.dtype, "ceilings": roofs, "correctness": [], "parts": [],
        "clock": {"source": session.frequency.source, "why": session.frequency.why},
        "not_here": {b.name: b.why_not for b in session.backends if b.why_not is not None and not b.costly},
    }  # fmt: skip
    written(report, folder, started)
    return _measured(session, sizes, report, folder, started)


def _measured(session: Session, sizes: Sizes, report: dict[str, Any], folder: Path, started: float) -> int:
    """All parts in turn, each written when it is done."""
    try:
        report["correctness"] = correctness(session, sizes.dtype)
    except KeyboardInterrupt:
        session.stopped = "interrupted"
    known, last = session.backends, session.deadline
    for name, groups, without, share in PARTS:
        if session.stopped == "interrupted":
            break
        session.rows, session.refused, session.stopped = [], [], None
        session.deadline = last - (1 - share) * session.request.budget_seconds
        session.backends = [b for b in known if b.name not in without]
        if name == "FlexAttention":
            session.backends = [b for b in asked_for(session.where) if b.name == "flex"]
        run(session, groups(sizes))
        report["parts"].append({
            "name": name, "rows": session.rows, "refused": session.refused, "stopped": session.stopped,
            "explained": explained(session.rows, roof_of(session.ceilings)),
        })  # fmt: skip
        written(report, folder, started)
    print(f"{sum(len(p['rows']) for p in report['parts'])} rows, {report['seconds']:.0f} s: {folder / 'attention.md'}")
    return 130 if session.stopped == "interrupted" else 0


if __name__ == "__main__":
    sys.exit(main())
