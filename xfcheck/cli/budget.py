"""What a config costs: parameters, active parameters, FLOPs, cache, memory."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .answers import FORMATS, answers, emit, fail, write
from .counts import UNITS, count

if TYPE_CHECKING:
    from ..documents.folder import ModelFolder


def command(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Config files, model folders, trees to search, or - for stdin.")],
    batch: Annotated[int, typer.Option(metavar="N", parser=count, help="Sequences.")] = 1,
    context: Annotated[
        int | None,
        typer.Option(
            metavar="N", parser=count, help=f"Tokens of each ({UNITS}); default: deploy.context_length, else the file's maximum, else 4096."
        ),
    ] = None,
    source_length: Annotated[
        int | None, typer.Option(metavar="N", parser=count, help="Tokens an encoder reads; default: the context.")
    ] = None,
    dtype: Annotated[str | None, typer.Option(help="bf16, fp16, fp32, fp8; default: the file's, else bf16.")] = None,
    cache_dtype: Annotated[
        str | None,
        typer.Option(help="Dtype of the cache (also q8_0, q4_0; keys and values apart: q8_0/q4_0; vllm: fp8_ds_mla); default: --dtype."),
    ] = None,
    engine: Annotated[str, typer.Option(help="In whose terms the cache is counted: logical, transformers, vllm, llama.cpp.")] = "logical",
    block_size: Annotated[int, typer.Option(min=1, help="vllm: tokens a page.")] = 16,
    max_batched_tokens: Annotated[int, typer.Option(min=1, help="vllm: max_num_batched_tokens, the tokens of one step.")] = 8192,
    hybrid_manager: Annotated[bool, typer.Option(help="vllm: whether windowed layers free what they no longer see.")] = True,
    state_dtype: Annotated[str, typer.Option(help="vllm: dtype of recurrent states.")] = "fp32",
    ubatch: Annotated[int, typer.Option(min=1, help="llama.cpp: n_ubatch.")] = 512,
    unified: Annotated[bool, typer.Option(help="llama.cpp: one pool of cells for all sequences.")] = True,
    absorbed: Annotated[bool, typer.Option(help="llama.cpp: latent attention keeps latents, not every head's keys and values.")] = True,
    rollbacks: Annotated[int, typer.Option(min=0, help="llama.cpp: copies of recurrent states that drafts can go back to (n_rs_seq).")] = 0,
    tp: Annotated[
        int | None, typer.Option(min=1, help="Tensor parallel ranks, for the cache of one; default: deploy.tensor_parallel.")
    ] = None,
    training: Annotated[str | None, typer.Option(help="Memory of training: adamw, adamw8bit, adafactor, muon, sgd, sgd_momentum.")] = None,
    recompute: Annotated[
        str, typer.Option(help="Activations computed again in training: none, selective (scores), full (blocks).")
    ] = "selective",
    convention: Annotated[
        list[str] | None,
        typer.Option(
            help="Training FLOPs as published: kaplan, gpt3, chinchilla, palm, megatron, korthikanti, torchtitan, nanogpt, "
            "deepseek_llm, deepseek, all."
        ),
    ] = None,
    tokens_per_second: Annotated[float | None, typer.Option(help="A measured rate of training, for MFU and HFU on --device.")] = None,
    device: Annotated[str | None, typer.Option(help="Whether it fits this device (`xfcheck devices`); default: deploy.device.")] = None,
    devices: Annotated[int, typer.Option(min=1, help="Devices that --tokens-per-second was measured on.")] = 1,
    memory_utilisation: Annotated[
        float, typer.Option(help="Share of the device's memory that may be used (vLLM's gpu_memory_utilization).")
    ] = 1.0,
    devices_file: Annotated[str | None, typer.Option(help="YAML file with devices of your own.")] = None,
    assertion: Annotated[
        list[str] | None, typer.Option("--assert", help="'parameters.total <= 8.1B', on any key of the JSON; exit 1 where it is broken.")
    ] = None,
    lock: Annotated[str | None, typer.Option(help="Write a snapshot of parameters, FLOPs and cache to this file.")] = None,
    check: Annotated[str | None, typer.Option(help="Compare with a snapshot; exit 1 with the difference.")] = None,
    require_exact: Annotated[bool, typer.Option("--require-exact", help="Exit 2 where a number is not held to a reference.")] = False,
    format: Annotated[str, typer.Option(help="text, json, jsonl or markdown.")] = "text",
    output: Annotated[str | None, typer.Option(help="Write to this file.")] = None,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Formulas with this model's dimensions.")] = False,
) -> None:
    """Print the budget of each path."""
    from ..accounting.budget import Options, budget
    from ..model import load
    from ..problems import Usage

    options = Options(
        batch=batch, context=context, dtype=dtype, cache_dtype=cache_dtype, engine=engine, source=source_length, block_size=block_size,
        max_batched_tokens=max_batched_tokens, hybrid=hybrid_manager, state_dtype=state_dtype, ubatch=ubatch, unified=unified,
        absorbed=absorbed, rollbacks=rollbacks, tensor_parallel=tp,
        training=training, recompute=recompute, conventions=tuple(convention or ()), tokens_per_second=tokens_per_second, device=device,
        devices=devices,
        devices_file=devices_file, memory_utilisation=memory_utilisation, formulas=verbose,
    )  # fmt: skip

    def answer(folder: ModelFolder) -> dict[str, Any]:
        result = budget(load(folder), options)
        own = folder.xfcheck.deploy.device
        if own is not None and device is None and "device" not in result:
            try:
                options.accelerator(str(own))
            except Usage as problem:  # an open name stops nothing, but it is no answer either
                fail(Usage(f"{folder.path}: deploy.device of xfcheck.yaml: {problem}"))
        return result

    def text(result: dict[str, Any]) -> str:
        from ..reports.budget_text import render

        return render(result, verbose=verbose)

    try:
        options.check()
        judges = _parsed(assertion)
        results, failed = answers(paths, answer)
        broken = _judged(results, judges)
        if format == "markdown":
            from ..reports.budget_markdown import markdown

            write(markdown(results), output)
        else:
            if format not in FORMATS:
                raise Usage(f"unknown format {format!r}; one of {', '.join((*FORMATS, 'markdown'))}")
            emit(results, format, output, text)
        broken += _gates(results, lock, check)
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None
    for line in broken:
        print(line, file=sys.stderr)
    inexact = require_exact and any(r.get("fidelity") != "exact" for r in results)
    raise typer.Exit(2 if failed or inexact else 1 if broken else 0)


def _parsed(texts: list[str] | None) -> list[Any]:
    if not texts:
        return []
    from ..accounting.assertions import parse

    return [parse(text) for text in texts]


def _judged(results: list[dict[str, Any]], judges: list[Any]) -> list[str]:
    """Each result gets its `assertions`, those of the flags and of its settings; the lines of those that are broken."""
    from ..settings.discovery import Finder

    finder = Finder()
    for result in results:
        own = [*judges, *_parsed(list(finder.beside(result["path"]).budget_assert))]
        if own and "error" not in result:
            from ..accounting.assertions import judge

            result["assertions"] = [judge(each, result) for each in own]
    if not any("assertions" in result for result in results):
        return []
    from ..accounting.assertions import said

    return [said(r["path"], judged) for r in results for judged in r.get("assertions", ()) if not judged["holds"]]


def _gates(results: list[dict[str, Any]], lock: str | None, check: str | None) -> list[str]:
    """Compare with a snapshot, then write one; the lines of what differs."""
    if lock is None and check is None:
        return []
    from ..accounting.lock import differences, snapshot

    lines = [] if check is None else differences(check, results)
    if lock is not None:
        write(snapshot(results), lock)
    return lines
