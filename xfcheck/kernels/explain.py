"""What measured rows say, in words: why fewer key-value heads are or are not faster, and where torch fell back to plain products."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

VARIED = ("mha", "gqa", "mqa")
PLACE = ("direction", "phase", "batch", "query_length", "key_length", "query_heads", "head_dim")


def explained(rows: Sequence[dict[str, Any]], roof: dict[str, Any]) -> list[str]:
    """Sentences on the rows of a report; `roof` has `flops_per_s` and `bytes_per_s`."""
    return [*_heads(rows, roof), *_fallbacks(rows)]


def _heads(rows: Sequence[dict[str, Any]], roof: dict[str, Any]) -> Iterator[str]:
    """Each variant with fewer key-value heads against MHA at the same shape, in the kernel that is the quickest for MHA."""
    ridge = roof["flops_per_s"] / roof["bytes_per_s"]
    whole: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        place = tuple(row[key] for key in PLACE)
        if row["variant"] == "mha" and (place not in whole or row["median_ms"] < whole[place]["median_ms"]):
            whole[place] = row
    for row in rows:
        base = whole.get(tuple(row[key] for key in PLACE))
        if base is None or row is base or row["backend"] != base["backend"] or row["variant"].partition(":")[0] not in VARIED:
            continue
        fewer, faster = base["bytes"] / row["bytes"], base["median_ms"] / row["median_ms"]
        predicted = base["roofline_ms"] / row["roofline_ms"]
        lengths = f"{row['query_length']} over {row['key_length']} keys, heads of {row['head_dim']}"
        at = f"{row['backend']}, {row['direction']}, {row['phase']} of {lengths}"
        told = (
            f"{row['variant']} against mha ({at}): the same FLOPs, {_times(fewer)} fewer bytes; {row['flops'] / row['bytes']:.3g} FLOPs a "
            f"byte, mha {base['flops'] / base['bytes']:.3g}, the roofline bends at {ridge:.3g}: {_sides(base, row)}. Predicted "
            f"{_times(predicted)} as fast, measured {_times(faster)}"
        )
        yield told + _gap(row, base, predicted, faster)


def _sides(base: dict[str, Any], row: dict[str, Any]) -> str:
    """What each waits for."""
    if base["binds"] == row["binds"]:
        return f"both wait for {_waits(row)}" + ("" if row["binds"] == "memory" else ", so fewer bytes save nothing")
    return f"mha waits for {_waits(base)}, {row['variant']} for {_waits(row)}"


def _waits(row: dict[str, Any]) -> str:
    return "arithmetic" if row["binds"] == "compute" else "memory"


def _gap(row: dict[str, Any], base: dict[str, Any], predicted: float, faster: float) -> str:
    """Where the measured ratio is not the predicted one, beyond the spread of both: how far each kernel is from its roofline."""
    noise = row["spread"] + base["spread"]
    if abs(faster / predicted - 1) <= max(0.1, noise):
        return "."
    shares = [None if r["roofline_fraction"] is None else f"{r['roofline_fraction']:.0%}" for r in (row, base)]
    if None in shares:
        return "; a time lies under the measured ceilings, so the ratio is of the caches."
    if faster < 1 and "math" in row["operators"] + [row["backend"]]:
        return f"; plain products write the repeated heads out first ({shares[0]} of its roofline, mha {shares[1]})."
    return f"; the kernel reaches {shares[0]} of its roofline there, of that of mha {shares[1]}."


def _fallbacks(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Where torch's own choice came down to the math backend, which writes all scores."""
    seen = set()
    for row in rows:
        if row["backend"] != "sdpa" or row["operators"] != ["math"]:
            continue
        grouped = row["query_heads"] != row["kv_heads"]
        whys = [f"enable_gqa, {row['query_heads']} query heads on {row['kv_heads']} (XF801)"] if grouped else []
        whys += [f"a mask of the kind {row['mask']} in memory (XF805)"] if row["mask"] not in ("causal", "bidirectional") else []
        whys += [f"values of {row['value_dim']}, keys of {row['head_dim']}"] if row["head_dim"] != row["value_dim"] else []
        told = (
            f"scaled_dot_product_attention fell back to its math backend, which writes all scores to memory, for {row['variant']}, "
            f"{row['direction']}, {row['phase']}, heads of {row['head_dim']} in {row['dtype']}" + (f": {'; '.join(whys)}" if whys else "")
        )
        if told not in seen:
            seen.add(told)
            yield told


def _times(ratio: float) -> str:
    return f"{ratio:.3g} times"
