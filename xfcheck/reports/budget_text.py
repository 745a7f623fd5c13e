"""The budget for a reader: what it costs in ten seconds, exact totals beside rounded shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..accounting.units import binary, si
from .plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

LABEL = 15
OF_CLASS = "class default of "
SIZES, OTHERS, REASONS = 8, 3, 4
"""How many sizes of the class, how many other values of it, and how many assumptions with a reason, are shown."""


def render(result: dict[str, Any], *, verbose: bool = False) -> str:
    """The budget in about fifteen lines; with `verbose` each number's formula and each assumption after it."""
    lines = [f"{plain(result['path'])}  {plain(result['architecture'] or result['model_type'])}  {result['fidelity']}{_fidelity(result)}"]
    for part in (
        _parameters,
        _active,
        _flops,
        _cache,
        _weights,
        _index,
        _memory,
        _moe,
        _training,
        _device,
        _utilisation,
        _conventions,
        _crossovers,
        _assumptions,
        _judged,
    ):
        lines.extend(part(result))
    if verbose:
        lines.append("formulas")
        lines += [f"  {f['number']} = {f['formula']} = {f['value']}" for f in result.get("formulas", ())]
        if result["assumptions"]:
            lines.append("assumptions")
            lines += [plain(f"  {a['field']} = {_value(a['value'])}: {a['why']}") for a in result["assumptions"]]
    return "\n".join(lines) + "\n"


def _line(label: str, text: str) -> str:
    return f"  {label:<{LABEL}}{text}".rstrip()


def _fidelity(result: dict[str, Any]) -> str:
    by = result["fidelity_by"]
    if result["fidelity"] == "exact":
        sources = sorted(set(result["verified_by"].values()))
        return f" (held to {', '.join(sources)})" if sources else ""
    weak = [part for part, value in by.items() if value != "exact"]
    return f" ({', '.join(weak)})" if len(weak) < len(by) else ""


def _parameters(r: dict[str, Any]) -> Iterator[str]:
    p = r["parameters"]
    yield _line(
        "parameters", f"{si(p['total'])}  ({p['total']:,})" + (f", and {si(p['not_loaded'])} in draft layers" if p["not_loaded"] else "")
    )
    shares = sorted(((n, c) for c, n in p["by_component"].items() if n), reverse=True)
    yield _line("", ", ".join(f"{c.replace('_', ' ')} {si(n)}" for n, c in shares))


def _active(r: dict[str, Any]) -> Iterator[str]:
    p = r["parameters"]
    a = p["active"]
    if a["total"] != p["total"]:
        yield _line(
            "active",
            f"{si(a['total'])} a token  ({a['total']:,}); {si(a['without_input_embedding'])} without input table, "
            f"{si(a['without_embeddings'])} without tables and head",
        )


def _flops(r: dict[str, Any]) -> Iterator[str]:
    flops = r["flops"]
    for name in ("prefill", "decode"):
        f = flops[name]
        if f is None:
            continue
        what = f"{f['batch']} x {f['tokens']:,} tokens" if name == "prefill" else f"{f['batch']} x 1 token after {f['context']:,}"
        parts = f"matrices {si(f['matmul'], 'FLOP')}"
        if f["attention_full"]:
            parts += f", attention {si(f['attention_full'], 'FLOP')}"
        if f["attention_full"] != f["attention_visible"]:
            parts += f" full, {si(f['attention_visible'], 'FLOP')} visible"
        scan = f", scans {si(f['scan'], 'FLOP')}" if f["scan"] else ""
        least = f.get("absorbed_total", f["total_full"])
        absorbed = f"; {si(least, 'FLOP')} with absorbed latents, as engines decode" if least < f["total_full"] else ""
        total = si(f["total_full"], "FLOP")
        if f["total_visible"] != f["total_full"]:
            total += f" full, {si(f['total_visible'], 'FLOP')} visible"
        yield _line(name, f"{total}  ({what}: {parts}{scan}{absorbed})")


def _cache(r: dict[str, Any]) -> Iterator[str]:
    c = r["cache"]
    if c["bytes"] is None:
        yield _line("cache", f"not known: {c['engine']} has no layout known here for {c['unknown_layout']}")
        return
    if not c["layers"]:
        yield _line("cache", "none")
        return
    kinds = ", ".join(f"{k['count']} {k['kind']}" + (f" of {k['tokens']:,}" if k["tokens"] else "") for k in c["layers"])
    grows = f"{binary(c['bytes_per_token'])} a token" if c["bytes_per_token"] else ""
    fixed = f"{' + ' if grows else ''}{binary(c['constant_bytes'])} of any length" if c["constant_bytes"] else ""
    most = f", at most {binary(c['full_reservation_bytes'])}" if c["full_reservation_bytes"] != c["bytes"] else ""
    yield _line(
        "cache",
        f"{binary(c['bytes'])}  ({c['batch']} x {c['context']:,} tokens, {c['dtype']}, {c['engine']}: {grows}{fixed}{most})",
    )
    yield _line("", kinds)
    share = c.get("per_rank")
    if share is not None:
        ranks = share["tensor_parallel"]
        if share["bytes"] is None:
            said = f"not known: {share['unknown_layout']}"
        else:
            more = share["bytes"] * ranks / c["bytes"]
            said = f"{binary(share['bytes'])} on each" + (f", {more:.2f} x the cache in all" if more > 1 else "")
        yield _line("", f"{ranks} tensor parallel ranks: {said}")


def _weights(r: dict[str, Any]) -> Iterator[str]:
    s, m = r["storage"], r["memory"]
    yield _line("weights", f"{binary(m['weight_bytes'])}  ({m['weight_bytes']:,} bytes = {si(m['weight_bytes'], 'B')})")
    if s["method"] != "none":
        size = "size not known" if s["bytes"] is None else f"{binary(s['bytes'])} on disk, {s['stored_elements']:,} elements"
        kept = (
            f"; not quantised: {', '.join(s['high_precision'][:6])}" + (" ..." if len(s["high_precision"]) > 6 else "")
            if s["high_precision"]
            else ""
        )
        yield _line("", f"{s['method']}: {size}{kept}")


def _index(r: dict[str, Any]) -> Iterator[str]:
    s = r["storage"]
    if "index_bytes" in s:
        gap = s["index_difference"]
        said = "size not known" if gap is None else "as computed" if gap == 0 else f"{gap:+,} bytes computed"
        yield _line("", f"the checkpoint's index says {s['index_bytes']:,} bytes: {said}")


def _memory(r: dict[str, Any]) -> Iterator[str]:
    m = r["memory"]
    scores = m["attention_scores_bytes"]
    active = "not known" if m["activation_bytes"] is None else binary(m["activation_bytes"])
    tiled = f", scores {binary(scores['materialised'])} materialised, {binary(scores['tiled'])} tiled" if scores["materialised"] else ""
    yield _line("prefill needs", f"logits {binary(m['logits_bytes'])}, activations {active}{tiled}")


def _moe(r: dict[str, Any]) -> Iterator[str]:
    m = r["moe"]
    if m is None:
        return
    load = m["load"]
    shared = f" + {m['shared_experts']} shared" if m["shared_experts"] else ""
    busiest = (
        ""
        if load["expected_max_over_mean"] is None
        else f"; busiest expert {load['expected_max_over_mean']:.2f} x the mean of {load['mean']:,.0f} tokens"
    )
    dropped = (
        f", {load['expected_drop_fraction']:.2%} dropped" if m["capacity_factor"] and load["expected_drop_fraction"] is not None else ""
    )
    yield _line("experts", f"{m['experts_per_token']} of {m['experts']}{shared} in {m['layers']} layers{busiest}{dropped}")
    c = m["communication"]
    if c["expert_parallel"] > 1:
        yield _line(
            "",
            f"{c['expert_parallel']} ranks: {binary(c['dispatch_bytes_per_rank'])} sent a layer and rank, "
            f"{binary(c['deduplicated_dispatch_bytes_per_rank'])} once a rank",
        )


def _training(r: dict[str, Any]) -> Iterator[str]:
    t = r["memory"]["training"]
    if t is None:
        return
    total = "total not known" if t["total_bytes"] is None else binary(t["total_bytes"])
    acts = "not known" if t["activations_bytes"] is None else binary(t["activations_bytes"])
    yield _line(
        "training",
        f"{total}  ({t['optimizer']}: weights {binary(t['weights_bytes'])}, "
        f"gradients {binary(t['gradients_bytes'])}, states {binary(t['optimizer_bytes'])})",
    )
    yield _line("", f"activations {acts} ({t['recomputation']} recomputation), {si(t['trained_parameters'])} parameters trained")


def _device(r: dict[str, Any]) -> Iterator[str]:
    d = r.get("device")
    if d is None:
        return
    if d["fits"] is None:
        yield _line("device", f"{d['name']}, {binary(d['memory_bytes'])}: not known whether it fits")
        return
    usable = d["needed_bytes"] + d["free_bytes"]
    of = binary(usable) if usable == d["memory_bytes"] else f"{binary(usable)} of {binary(d['memory_bytes'])}"
    verdict = f"fits, {binary(d['free_bytes'])} to spare" if d["fits"] else f"does not fit, {binary(-d['free_bytes'])} too much"
    yield _line("device", f"{d['name']}, {of}: {binary(d['needed_bytes'])} needed, {verdict}")
    ranks = r["cache"].get("per_rank")
    if ranks is not None:
        yield _line("", f"of the whole model on one device: how {ranks['tensor_parallel']} ranks divide the weights is not counted")
    if d.get("longest_context") or d.get("largest_batch"):
        longest, largest = (("any" if d[k] is None else f"{d[k]:,}") for k in ("longest_context", "largest_batch"))
        yield _line("", f"memory for a context of {longest} tokens, or a batch of {largest}")
    rate = d["bounds"]["decode_tokens_per_second"] if d["fits"] and "bounds" in d else None
    if rate is not None:
        yield _line("", f"at most {rate:,.0f} tokens a second in decode ({d['bounds']['decode_bound']} bound)")


def _utilisation(r: dict[str, Any]) -> Iterator[str]:
    u = r.get("utilisation")
    if u is not None:
        yield _line("utilisation", f"MFU {u['mfu']:.1%}, HFU {u['hfu']:.1%} of {u['devices']} x {u['device']}")


def _conventions(r: dict[str, Any]) -> Iterator[str]:
    found = r["flops"].get("conventions", {})
    shares = r.get("utilisation", {}).get("by_convention", {})
    for number, (name, c) in enumerate(found.items()):
        mfu = f"  MFU {shares[name]:.1%}" if name in shares else ""
        yield _line(
            "conventions" if number == 0 else "", f"{name:<13}{si(c['training_per_token'], 'FLOP'):>11} a token{mfu}  {c['formula']}"
        )


def _crossovers(r: dict[str, Any]) -> Iterator[str]:
    x = r["crossovers"]
    said = []
    if x["attention_passes_rest_tokens"] is not None:
        said.append(f"attention passes the rest at {x['attention_passes_rest_tokens']:,} tokens")
    if x["cache_passes_weights_tokens"] is not None:
        said.append(f"the cache passes the weights at {x['cache_passes_weights_tokens']:,}")
    if said:
        yield _line("crossovers", ", ".join(said))


def _assumptions(r: dict[str, Any]) -> Iterator[str]:
    """Sizes that the class gives in one line; every other assumption with its reason."""
    own = [a for a in r["assumptions"] if not a["why"].startswith(OF_CLASS)]
    given = [a for a in r["assumptions"] if a["why"].startswith(OF_CLASS)]
    sizes = [a for a in given if isinstance(a["value"], int) and not isinstance(a["value"], bool)]
    others = [a for a in given if a not in sizes]
    shown = [*sizes[:SIZES], *others[:OTHERS]]
    said = [f"{a['field'].lstrip('/')} = {_value(a['value'])}" for a in shown]
    rest = len(given) - len(shown)
    if said:
        said[-1] += f", and {rest} more (-v names them)" if rest else ""
        said[-1] += ", all as the class has them" if len(given) > 1 else ", as the class has it"
    lines = [", ".join(said)] if said else []
    for a in own[:REASONS]:
        value = "" if a["value"] is None else f" = {_value(a['value'])}"
        lines.append(f"{a['field'].lstrip('/')}{value}: {a['why']}")
    if len(own) > REASONS:
        lines.append(f"{len(own) - REASONS} more")
    for number, text in enumerate(lines):
        yield _line("" if number else "assumed", plain(text))


def _value(value: Any) -> str:
    text = "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _judged(r: dict[str, Any]) -> Iterator[str]:
    for judged in r.get("assertions", ()):
        from ..accounting.assertions import said

        yield _line("assert", said("", judged).removeprefix(": "))
