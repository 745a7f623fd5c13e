"""Whether a variant is an architecture that runs: the rules' errors about its config, the same laws on an edited architecture."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..problems import Refused
from .parts import attentions, of_kind, places, stacks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..architecture.model import Architecture
    from ..documents.folder import ModelFolder
    from .draft import Draft


class Fault(NamedTuple):
    """A law that an architecture breaks: the code of its rule, what is wrong, what would be right."""

    code: str
    message: str
    help: str | None = None


def check(draft: Draft, known: set[tuple[str, str]]) -> None:
    """Raises Refused with the first rule that the variant breaks and the config as written does not (`known`, of `errors`)."""
    for fault in faults(draft.model.architecture):
        if (fault.code, fault.message) not in known:
            raise Refused(fault.message, code=fault.code, help=fault.help)
    if draft.native:
        return
    for code, pointer, message, help in _errors(draft.model.folder):
        if (code, message) not in known:
            raise Refused(message, code=code, pointer=pointer, help=help)


def errors(folder: ModelFolder, a: Architecture) -> set[tuple[str, str]]:
    """(code, message) of what is wrong with a config as written: a variation is not to blame for it."""
    return {(code, message) for code, _, message, _ in _errors(folder)} | {(fault.code, fault.message) for fault in faults(a)}


def _errors(folder: ModelFolder) -> Iterator[tuple[str, str, str, str | None]]:
    from ..rules._engine import lint

    for finding in lint(folder).findings:
        if finding.severity == "error" and finding.code != "XF900":
            yield finding.code, finding.pointer, finding.message, finding.help


def faults(a: Architecture) -> Iterator[Fault]:
    """What keeps an architecture from running, whatever it was read from."""
    for spec in attentions(a):
        yield from _heads(spec.query_heads, spec.kv_heads, spec.head_dim)
    for spec in of_kind(a, "latent_attention"):
        if spec.kv_rank < 1 or spec.rope_dim < 0 or spec.nope_dim < 0 or spec.value_dim < 1:
            yield Fault("XF117", f"a latent of {spec.kv_rank} with a rotary key of {spec.rope_dim}: at least 1 and 0 are needed")
        elif spec.rope_dim % 2:
            yield Fault("XF111", f"a rotary key of odd width {spec.rope_dim}: positions turn pairs", f"{spec.rope_dim + 1}")
    for spec in of_kind(a, "moe"):
        if spec.experts < 1 or spec.experts_per_token < 1:
            yield Fault("XF502", f"{spec.experts_per_token} of {spec.experts} experts a token: at least 1 is needed")
        elif spec.experts_per_token > spec.experts:
            yield Fault("XF501", f"{spec.experts_per_token} experts a token of {spec.experts}", f"at most {spec.experts}")
    widths = [("d_ff", p.spec.intermediate_size) for p in places(a) if p.spec.kind == "mlp"]
    widths += [("hidden size", s.hidden_size) for s in stacks(a)] + [("layers", s.depth) for s in stacks(a)]
    for name, width in widths:
        if width < 1:
            yield Fault("XF117", f"{name} is {width}, at least 1 is needed")


def _heads(query: int, groups: int, width: int) -> Iterator[Fault]:
    if query < 1 or groups < 1 or width < 1:
        yield Fault("XF117", f"{query} query heads, {groups} key-value heads of width {width}: at least 1 is needed")
    elif groups > query:
        yield Fault("XF105", f"{groups} key-value heads for {query} query heads", f"at most {query}")
    elif query % groups:
        fits = [n for n in range(1, query + 1) if query % n == 0] if query <= 4096 else []
        message = f"{query} query heads are not a multiple of {groups} key-value heads (remainder {query % groups})"
        yield Fault("XF104", message, f"one of {', '.join(map(str, fits))}" if fits else None)
