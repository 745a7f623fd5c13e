"""Collectives of a config, measured by several processes: `torchrun --nproc-per-node N -m xfcheck.kernels.collectives CONFIG`.

All-reduce of tensor parallelism, all-gather of sequence parallelism and of sharded weights, all-to-all of experts, with the config's own
sizes, on gloo or NCCL, in the terms of nccl-tests. Rank 0 reports.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from ..problems import Refused, Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

HEADS = ("collective", "for", "ranks", "size", "ms", "spread", "algbw GB/s", "busbw GB/s", "a forward pass", "ms of it")
MISSING = "measuring collectives needs torch: pip install 'xfcheck[torch]'"
ALONE = "several processes are needed: torchrun --nproc-per-node 2 -m xfcheck.kernels.collectives CONFIG"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and report; the exit code: 0, 2 where it cannot be done, 130 where it was interrupted."""
    asked = _asked(arguments)
    try:
        # a launcher that is interrupted terminates its processes, which stand apart from the terminal
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        return _answer(asked)
    except KeyboardInterrupt:
        return 130
    except (Usage, Refused) as problem:
        if os.environ.get("RANK", "0") == "0":
            print(f"xfcheck: {problem.message if isinstance(problem, Refused) else problem}", file=sys.stderr)
        return 2


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="torchrun --nproc-per-node N -m xfcheck.kernels.collectives", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("path", metavar="CONFIG", help="a config file or a model folder")
    parser.add_argument("--tokens", type=int, default=4096, help="tokens of each rank (default: 4096)")
    parser.add_argument("--dtype", default="bf16", help="of what is sent: bf16, fp16, fp32 (default: bf16)")
    parser.add_argument("--backend", choices=("gloo", "nccl"), help="default: nccl where every rank has a GPU, else gloo")
    parser.add_argument("--budget-seconds", type=float, default=30.0, help="seconds that measuring may take (default: 30)")
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    return parser.parse_args(arguments)


def _answer(asked: argparse.Namespace) -> int:
    from importlib.util import find_spec

    from ..accounting.dtypes import full_name

    dtype = full_name(asked.dtype)
    if dtype not in ("bfloat16", "float16", "float32"):
        raise Usage(f"--dtype is bf16, fp16 or fp32, not {asked.dtype!r}")
    if asked.tokens < 1 or not asked.budget_seconds > 0:
        raise Usage("--tokens and --budget-seconds are above 0")
    if find_spec("torch") is None:
        raise Usage(MISSING)
    if int(os.environ.get("WORLD_SIZE", "1")) < 2:
        raise Usage(ALONE)
    from ..documents.folder import open_model
    from ..model import load
    from .messages import messages

    if asked.path != "-" and not os.path.lexists(asked.path):
        raise Usage(f"{asked.path}: no such file or folder")
    wanted = messages(load(open_model(asked.path)), asked.tokens)
    return _together(asked, dtype, wanted)


def _together(asked: argparse.Namespace, dtype: str, wanted: list[Any]) -> int:
    """What every rank does; rank 0 reports, also where it is interrupted."""
    import torch
    import torch.distributed as dist

    from .exchange import Exchange
    from .machine import described

    backend, device = chosen(asked.backend)
    begun = time.monotonic()
    # a rank that waits for one that is gone gives up soon after the budget
    dist.init_process_group(backend, timeout=timedelta(seconds=asked.budget_seconds + 60))
    exchange = Exchange(device, dtype, begun + asked.budget_seconds)
    try:
        exchange.all(wanted)
    except KeyboardInterrupt:
        exchange.stopped = "interrupted"
    except RuntimeError:  # another rank was interrupted first
        exchange.stopped = exchange.stopped or "interrupted"
    if dist.get_rank() == 0:
        element = {
            "path": asked.path, "device": described(device, []), "backend": backend, "ranks": dist.get_world_size(),
            "nodes": _nodes(), "tokens": asked.tokens, "torch": torch.__version__, "rows": exchange.rows, "refused": exchange.refused,
            "stopped": exchange.stopped,
        }  # fmt: skip
        sys.stdout.write(rendered(element, asked.format))
        sys.stdout.flush()
    if exchange.stopped == "interrupted":
        return 130
    dist.destroy_process_group()
    return 0


def _nodes() -> int:
    """Machines, as the launcher counts them."""
    return max(1, int(os.environ["WORLD_SIZE"]) // max(1, int(os.environ.get("LOCAL_WORLD_SIZE", os.environ["WORLD_SIZE"]))))


def chosen(asked: str | None) -> tuple[str, Any]:
    """(backend, this rank's device). Raises Usage where a rank has no GPU of its own for NCCL."""
    import torch

    local = int(os.environ.get("LOCAL_RANK", "0"))
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    enough = gpus >= int(os.environ.get("LOCAL_WORLD_SIZE", os.environ.get("WORLD_SIZE", "1")))
    backend = asked or ("nccl" if enough else "gloo")
    if backend == "gloo":
        return backend, torch.device("cpu")
    if not enough:
        raise Usage(f"--backend nccl needs a GPU for each rank of a machine; torch finds {gpus} here")
    torch.cuda.set_device(local)
    return backend, torch.device("cuda", local)


def rendered(element: dict[str, Any], how: str) -> str:
    """The report."""
    if how == "json":
        from ..reports.envelope import document

        return document([element]) + "\n"
    from .report import as_columns, as_markdown, device_in_words

    body = [cells(row) for row in element["rows"]]
    where = f"{element['ranks']} ranks on {element['nodes']} machine{'' if element['nodes'] == 1 else 's'}, {element['backend']}, "
    where += device_in_words(element["device"])
    notes = [f"refused: {r['collective']} ({r['purpose']}): {r['why']}" for r in element["refused"]]
    notes += [f"cut short: {element['stopped']}"] if element["stopped"] else []
    if how == "markdown":
        return "\n".join([f"## {element['path']}", "", where + ".", "", *as_markdown(HEADS, body), "", *(f"- {n}" for n in notes)]) + "\n"
    table = as_columns([HEADS, *body]) if body else ["  nothing was measured"]
    return "\n".join([f"{element['path']}: {where}", "", *table, *(f"  {n}" for n in notes)]) + "\n"


def cells(row: dict[str, Any]) -> tuple[str, ...]:
    """A row under `HEADS`."""
    from ..accounting.units import binary

    return (
        row["collective"], row["purpose"], str(row["ranks"]), binary(row["bytes"]), f"{row['median_ms']:.4g}", f"{row['spread']:.0%}",
        f"{row['algbw_gb_per_s']:.3g}", f"{row['busbw_gb_per_s']:.3g}", str(row["times_a_forward_pass"]), f"{row['ms_a_forward_pass']:.4g}",
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
