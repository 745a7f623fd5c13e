"""Softmax attention: any number of key-value heads, head norms, gates, sinks, softcap, windows, cross attention.

Explicit matrix products.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ...architecture.mixers.cross_attention import CrossAttention
from .. import masks, norms
from .. import positions as place
from ..marks import Linear, Site, Weighted, fitted

if TYPE_CHECKING:
    from ...architecture.mixers.attention import Attention
    from ..passes import Pass


class AttentionLayer(Weighted):
    """The projections as packed, and the products written out."""

    def __init__(self, spec: Attention, site: Site) -> None:
        super().__init__(site)
        self.spec = spec
        wide = site.hidden if spec.input_size is None else spec.input_size
        out = site.hidden if spec.output_size is None else spec.output_size
        memory, over = wide, site
        if isinstance(spec, CrossAttention):
            memory = wide if spec.memory_size is None else spec.memory_size
            site = self.site = site.over("absent") if spec.memory == "absent" else site
            over = site.over("cross" if spec.memory == "encoder" else spec.memory)
        self._maps(site, over, (wide, memory, out))
        self.query_norm = norms.maybe(site, "query_norm", spec.query_norm, spec.head_dim)
        own = not spec.shares_cache
        self.key_norm = norms.maybe(site, "key_norm", spec.key_norm, spec.head_dim) if own else None
        self.value_norm = norms.maybe(site, "value_norm", spec.value_norm, spec.values) if own else None
        self.inner_norm = norms.maybe(site, "inner_norm", spec.output_norm, spec.query_heads * spec.values)
        self.sinks = self.tensor("sinks", (spec.query_heads,)) if spec.sinks else None
        position = spec.position
        self.bias_table = None
        if position is not None and getattr(position, "kind", "") == "relative_bias" and position.table:  # type: ignore[attr-defined]
            self.bias_table = self.tensor("relative_bias", (position.buckets, spec.query_heads), component="position_embedding")  # type: ignore[attr-defined]

    def _maps(self, site: Site, over: Site, widths: tuple[int, int, int]) -> None:
        """Query, key, value, gate and output; keys and values from tokens `over` another stream. `widths`: tokens, memory, result."""
        spec, has = self.spec, self.spec.biases
        wide, memory, out = widths
        self.query_width = spec.query_heads * spec.head_dim * (2 if spec.gate == "query" else 1)
        self.key_width, self.value_width = spec.kv_heads * spec.head_dim, spec.kv_heads * spec.values
        self.gate_width = spec.query_heads * (spec.values if spec.gate == "elementwise" else 1)
        if spec.packing == "gate_qkv":
            self._gate_and_qkv(wide)
        elif spec.packing == "qkv":
            self.qkv = Linear(site, "qkv", self.query_width + self.key_width + self.value_width, wide, bias="query" in has)
        else:
            self.query = Linear(site, "query", self.query_width, wide, bias="query" in has)
            if not spec.shares_cache:
                self._keys_and_values(over, memory)
        self.output = Linear(site, "output", out, spec.query_heads * spec.values, bias="output" in has) if spec.output_matrix else None
        if spec.gate in ("elementwise", "headwise") and spec.packing != "gate_qkv":
            self.gate = Linear(site, "gate", self.gate_width, wide, bias="gate" in has)

    def _gate_and_qkv(self, wide: int) -> None:
        widths = {
            "gate": self.spec.query_heads * self.spec.values,
            "query": self.query_width,
            "key": self.key_width,
            "value": self.value_width,
        }
        self.gate_qkv = self.tensor("gate_qkv", (sum(widths.values()), wide), multiplies=True)
        self.parts = {
            name: (size, self.tensor(f"{name}_bias", (size,)) if name in self.spec.biases else None) for name, size in widths.items()
        }

    def _keys_and_values(self, over: Site, memory: int) -> None:
        spec, has = self.spec, self.spec.biases
        if spec.packing == "key_value":
            self.key_value = Linear(over, "key_value", self.key_width + self.value_width, memory, bias="key" in has)
            return
        self.key = Linear(over, "key", self.key_width, memory, bias="key" in has)
        if not spec.value_is_key:
            self.value = Linear(over, "value", self.value_width, spec.value_input_size or memory, bias="value" in has)

    def forward(self, x: torch.Tensor, run: Pass) -> torch.Tensor:
        """[B, n, d] -> [B, n, d]."""
        spec = self.spec
        cross = isinstance(spec, CrossAttention)
        if cross and spec.memory == "absent":  # type: ignore[attr-defined]
            return torch.zeros_like(x)
        query, key, value, gate = self._projected(x, run)
        new, past = x.shape[1], 0 if cross else run.past
        q = norms.heads(self.query_norm, self._heads(query, spec.query_heads))
        at = torch.arange(past, past + new, device=x.device)
        if run.positions is not None:
            at = run.positions
        q = run.saw("query", self._turned(q, at))
        k, v = self._kept(key, value, run, at)
        seen_at = (
            torch.arange(past + new - k.shape[2], past + new, device=x.device) if not cross else torch.arange(k.shape[2], device=x.device)
        )
        if run.positions is not None and not cross and past == 0:
            seen_at = run.positions
        out = self._mixed(q, k, v, (at, seen_at), run)
        for _ in range(spec.passes - 1):
            self._mixed(q, k, v, (at, seen_at), run)
        out = run.saw("concat", out.transpose(1, 2).flatten(2))
        if gate is not None:
            gate = torch.sigmoid(gate)
            out = (
                out * gate if gate.shape[-1] == out.shape[-1] else (out.unflatten(-1, (spec.query_heads, -1)) * gate[..., None]).flatten(-2)
            )
        out = norms.apply(self.inner_norm, out)
        return out if self.output is None else run.saw("output", self.output(out))

    def _projected(self, x: torch.Tensor, run: Pass) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None, torch.Tensor | None]:
        """Query, key, value and output gate, flat; keys and values null where none are computed in this pass."""
        spec = self.spec
        key = value = gate = None
        if spec.packing == "gate_qkv":
            whole = torch.nn.functional.linear(x, self.gate_qkv).split([size for size, _ in self.parts.values()], dim=-1)
            gate, query, key, value = (
                part if bias is None else part + bias for part, (_, bias) in zip(whole, self.parts.values(), strict=True)
            )
        elif spec.packing == "qkv":
            query, key, value = self.qkv(x).split([self.query_width, self.key_width, self.value_width], dim=-1)
        else:
            query = self.query(x)
            source = self._source(x, run)
            if not spec.shares_cache and not (isinstance(spec, CrossAttention) and run.past):
                key, value = self._keyed(source)
        if spec.gate in ("elementwise", "headwise") and spec.packing != "gate_qkv":
            gate = self.gate(x)
        if spec.gate == "query":
            query, gate = (part.flatten(-2) for part in query.unflatten(-1, (spec.query_heads, -1)).chunk(2, dim=-1))
        return query, key, value, gate

    def _source(self, x: torch.Tensor, run: Pass) -> torch.Tensor | None:
        """What keys and values are made of: the tokens themselves, or another stream."""
        if not isinstance(self.spec, CrossAttention):
            return x
        found = run.memory if self.spec.memory == "encoder" else run.given.get(self.spec.memory)
        return None if found is None else fitted(found, self.spec.memory_size)

    def _keyed(self, source: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor]:
        if source is None:
            raise ValueError("cross attention without the other stream")
        if self.spec.packing == "key_value":
            return self.key_value(source).split([self.key_width, self.value_width], dim=-1)
        key = self.key(source)
        return key, key if self.spec.value_is_key else self.value(fitted(source, self.spec.value_input_size))

    def _heads(self, x: torch.Tensor, count: int) -> torch.Tensor:
        return x.unflatten(-1, (count, -1)).transpose(1, 2)

    def _turned(self, x: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
        position = self.spec.position
        return place.rotate(position, x, at) if position is not None and position.kind == "rotary" else x  # type: ignore[attr-defined, arg-type]

    def _kept(self, key: torch.Tensor | None, value: torch.Tensor | None, run: Pass, at: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Keys and values of this pass and of those before, `[B, H_kv, m, d]`; what a later pass needs stays."""
        spec = self.spec
        if spec.shares_cache:
            return self._shared(run, at)
        if key is None or value is None:
            return run.state["key"], run.state["value"]
        k = norms.heads(self.key_norm, self._heads(key, spec.kv_heads))
        v = norms.heads(self.value_norm, self._heads(value, spec.kv_heads))
        cross = isinstance(spec, CrossAttention)
        k = run.saw("key", k if cross else self._turned(k, at))
        v = run.saw("value", v)
        if spec.cached_heads is not None:
            k, v = (part.repeat_interleave(spec.cached_heads // spec.kv_heads, dim=1) for part in (k, v))
        if cross:
            if caches(spec, run.stream):
                keep = masks.kept(spec.mask, spec.kept_tokens)
                run.state.update(key=masks.trimmed(k, keep), value=masks.trimmed(v, keep))
            return k, v
        if run.past and "key" in run.state:
            k, v = torch.cat([run.state["key"], k], dim=2), torch.cat([run.state["value"], v], dim=2)
        if caches(spec, run.stream):
            keep = masks.kept(spec.mask, spec.kept_tokens)
            run.state.update(key=masks.trimmed(k, keep), value=masks.trimmed(v, keep))
        run.keys[spec.mask.kind] = (k, v)
        return k, v

    def _shared(self, run: Pass, at: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The keys and values of an earlier layer with this mask; of another model where no layer makes any, on `meta`."""
        spec = self.spec
        found: tuple[torch.Tensor, torch.Tensor] | None = run.keys.get(spec.mask.kind) or next(iter(run.keys.values()), None)
        if found is not None:
            return found
        if not at.is_meta:
            raise NotImplementedError("keys and values of another model")
        keep = masks.kept(spec.mask, spec.kept_tokens)
        seen = (run.past if keep is None else min(run.past, keep)) + run.new
        sizes = ((run.batch, spec.kv_heads, seen, width) for width in (spec.head_dim, spec.values))
        k, v = (torch.zeros(size, device=at.device, dtype=self.query.weight.dtype) for size in sizes)
        return k, v

    def _mixed(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, at: tuple[torch.Tensor, torch.Tensor], run: Pass) -> torch.Tensor:
        """Weighted values `[B, H_q, n, d_v]`."""
        spec = self.spec
        repeats = spec.query_heads // k.shape[1]
        k, v = k.repeat_interleave(repeats, dim=1), v.repeat_interleave(repeats, dim=1)
        scale = spec.head_dim**-0.5 if spec.scale is None else spec.scale
        scores = run.saw("scores", torch.matmul(q, k.transpose(-1, -2)) * scale)
        bias = self._bias(at, run, scores.dtype)
        scores = scores if bias is None else scores + bias
        if spec.softcap is not None:
            scores = spec.softcap * torch.tanh(scores / spec.softcap)
        seen = self._seen(at, run)
        weights = run.saw("weights", masks.softmax(scores, seen, self.sinks))
        return run.saw("heads", torch.matmul(weights, v))

    def _seen(self, at: tuple[torch.Tensor, torch.Tensor], run: Pass) -> torch.Tensor:
        """Which keys each query sees, `[B or 1, H or 1, n, m]`: mask and padding merged."""
        seen = masks.visible(self.spec.mask, *at)[None, None]
        padding = run.source_padding if isinstance(self.spec, CrossAttention) else run.padding
        return seen if padding is None else seen & padding[:, None, None, -len(at[1]) :]

    def _bias(self, at: tuple[torch.Tensor, torch.Tensor], run: Pass, dtype: torch.dtype) -> torch.Tensor | None:
        position = self.spec.position
        kind = getattr(position, "kind", None)
        if kind == "alibi":
            return place.alibi(self.spec.query_heads, *at, dtype)
        if kind != "relative_bias":
            return None
        if self.bias_table is not None:
            run.bias[run.stream] = self.bias_table[place.buckets(position, *at)].permute(2, 0, 1).to(dtype)  # type: ignore[arg-type]
        return run.bias.get(run.stream)


def caches(spec: Attention, stream: str) -> bool:
    """Whether keys and values stay between passes: in a causal stack, not in an encoder, unless the description says so itself."""
    if stream in ("encoder", "image", "audio"):
        return False
    if isinstance(spec, CrossAttention):
        return True
    return spec.mask.kind not in ("bidirectional", "local", "block_sparse") if spec.cached is None else spec.cached
