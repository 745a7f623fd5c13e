"""Attention kernels measured on this machine with a config's own shapes: time, FLOP/s, bytes/s, and how near the roofline."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .answers import answers, emit, fail, write
from .counts import UNITS, count

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..documents.folder import ModelFolder
    from ..kernels.measure import Request, Session

MISSING = "bench needs torch: pip install 'xfcheck[torch]'"
CONTEXTS = {"cpu": (128, 512), "cuda": (2048, 4096, 8192, 16384)}


def command(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A config file, a model folder, or - for stdin.")],
    context: Annotated[
        list[int] | None,
        typer.Option(metavar="N", parser=count, help=f"Keys ({UNITS}); repeatable. Default: 128 and 512 on a CPU, 2048 to 16384 on a GPU."),
    ] = None,
    batch: Annotated[int, typer.Option(metavar="N", parser=count, help="Sequences.")] = 1,
    phase: Annotated[list[str] | None, typer.Option(help="prefill (n = m) or decode (few queries, all keys); default: both.")] = None,
    queries: Annotated[int, typer.Option(min=1, help="Queries of a decoding step; more than 1 is speculative decoding.")] = 1,
    dtype: Annotated[str | None, typer.Option(help="fp64, fp32, bf16, fp16; default: fp32 on a CPU, the file's or bf16 on a GPU.")] = None,
    backward: Annotated[bool, typer.Option("--backward", help="Measure the backward pass of the prefill too.")] = False,
    vary: Annotated[str | None, typer.Option(help="heads: MHA, GQA and MQA with the same query heads.")] = None,
    backend: Annotated[list[str] | None, typer.Option(help="Only this backend; repeatable.")] = None,
    source_length: Annotated[
        int | None, typer.Option(metavar="N", parser=count, help="Keys of cross attention; default: the context.")
    ] = None,
    document: Annotated[int | None, typer.Option(min=1, help="Tokens of a packed document, where a mask is of documents.")] = None,
    prefix: Annotated[int | None, typer.Option(min=1, help="Tokens of a prefix, where a mask has one.")] = None,
    support: Annotated[bool, typer.Option("--support", help="What each backend takes, tried on small cases; nothing is timed.")] = False,
    ceilings: Annotated[bool, typer.Option("--ceilings", help="Measure the roofline, also where the devices table has it.")] = False,
    budget_seconds: Annotated[float, typer.Option(min=0.1, help="Seconds that measuring may take.")] = 30.0,
    device: Annotated[str | None, typer.Option(help="cpu or cuda; default: a GPU where there is one.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads of a CPU, kept to as many cores; default: all.")] = None,
    format: Annotated[str, typer.Option(help="text, json, jsonl or markdown.")] = "text",
    output: Annotated[str | None, typer.Option(help="Write to this file.")] = None,
    plot: Annotated[str | None, typer.Option(metavar="FILE", help="Draw the rows under the roofline into a .svg or .png file.")] = None,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Say on stderr what is measured next.")] = False,
) -> None:
    """Hold every kernel to a 64-bit reference, then time those that agree. Ctrl-C keeps what was measured."""
    from importlib.util import find_spec

    from ..problems import Usage

    if find_spec("torch") is None:
        raise typer.Exit(fail(Usage(MISSING)))
    from ..kernels.machine import device as chosen
    from ..kernels.machine import pin
    from ..kernels.report import markdown, text

    sessions: list[Session] = []
    try:
        if vary not in (None, "heads"):
            raise Usage(f"--vary is heads, not {vary!r}")
        if format not in ("text", "json", "jsonl", "markdown"):
            raise Usage(f"unknown format {format!r}; one of text, json, jsonl, markdown")
        if plot is not None and not plot.lower().endswith((".svg", ".png")):
            raise Usage(f"--plot {plot}: the file ends in .svg or .png")
        where = chosen(device)
        cores = pin(threads) if where.type == "cpu" else []

        def each(folder: ModelFolder) -> dict[str, Any]:
            from ..kernels.measure import Request

            request = Request(
                contexts=context or CONTEXTS[where.type], phases=_phases(phase), batch=batch, new=queries,
                dtype=_dtype(dtype, folder, where.type), directions=("forward", "backward") if backward else ("forward",),
                vary_heads=vary == "heads", backends=_backends(backend, where), budget_seconds=budget_seconds, measure_ceilings=ceilings,
                source=source_length, document=document, prefix=prefix,
            )  # fmt: skip
            return _measured(folder, request, where, cores, support, sessions, _told if verbose else None)

        results, failed = answers([path], each)
        if format == "markdown" and not failed:
            write("\n".join(map(markdown, results)), output)
        else:
            emit(results, "text" if format == "markdown" else format, output, text)
        if plot is not None and not failed:
            from ..kernels.plot import draw

            draw(plot, results)
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None
    except KeyboardInterrupt:
        raise typer.Exit(fail(Usage("interrupted before anything was measured"), 130)) from None
    interrupted = any(session.stopped == "interrupted" for session in sessions)
    raise typer.Exit(130 if interrupted else 2 if failed else 0)


def _measured(
    folder: ModelFolder,
    request: Request,
    where: Any,
    cores: list[int],
    support: bool,
    sessions: list[Session],
    tell: Callable[[str], object] | None,
) -> dict[str, Any]:
    """The element of one config."""
    from ..kernels.layers import layers
    from ..kernels.measure import begin, measure
    from ..kernels.report import result
    from ..kernels.support import table
    from ..model import load
    from ..problems import Usage

    model = load(folder)
    if not layers(model.architecture, request.dtype)[0] and not support:
        raise Usage(f"{folder.path}: {model.model_type} has no attention and no recurrence that is measured here")
    session = begin(request, where, cores)
    session.tell = tell or session.tell
    sessions.append(session)
    if support:
        return {"model_type": model.model_type, **result(session, table(session.backends, request.dtype, where))}
    measure(model.architecture, session)
    return {"model_type": model.model_type, **result(session, None)}


def _told(what: str) -> None:
    """Progress, beside the report."""
    print(what, file=sys.stderr, flush=True)


def _phases(asked: list[str] | None) -> list[str]:
    from ..problems import Usage

    for name in asked or ():
        if name not in ("prefill", "decode"):
            raise Usage(f"--phase is prefill or decode, not {name!r}")
    return list(dict.fromkeys(asked or ("prefill", "decode")))


def _backends(asked: list[str] | None, where: Any) -> list[str]:
    from ..kernels.backends import found
    from ..problems import Usage

    known = [backend.name for backend in found(where)]
    for name in asked or ():
        if name not in known:
            raise Usage(f"unknown backend {name!r}; one of {', '.join(known)}")
    return list(asked or ())


def _dtype(asked: str | None, folder: ModelFolder, device: str) -> str:
    """Torch's name of the dtype that is measured in."""
    from ..accounting.dtypes import full_name
    from ..problems import Usage

    names = ("float64", "float32", "float16", "bfloat16")
    if asked is not None:
        name = full_name(asked)
        if name not in names:
            raise Usage(f"--dtype is fp64, fp32, bf16 or fp16, not {asked!r}")
        return str(name)
    if device == "cpu":
        return "float32"
    data = folder.config.data if folder.config is not None and isinstance(folder.config.data, dict) else {}
    stated = data.get("dtype", data.get("torch_dtype"))
    name = full_name(stated) if isinstance(stated, str) else None
    return name if name in ("float16", "bfloat16") else "bfloat16"
