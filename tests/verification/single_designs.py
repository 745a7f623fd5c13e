"""One small description for each mixer that few published models have."""

from __future__ import annotations

from typing import Any

from .designs import MLP, RMS, attention, block, design

KIMI = {"kind": "kimi_delta", "heads": 4, "head_dim": 4, "kernel": 4, "chunk": 8}
MLSTM = {"kind": "mlstm", "heads": 4, "key_dim": 4, "value_dim": 6, "keys": 16, "values": 24, "chunk": 8}
LINEAR = {"kind": "linear_attention", "heads": 4, "kv_heads": 2, "key_dim": 4, "value_dim": 6}
MASKED = {"kind": "masked", "rows": 48, "tied": True}
SEES_ALL = {"mask": {"kind": "bidirectional"}, "position": None}


def plain(kind: str, **more: Any) -> dict[str, Any]:
    """As many key-value as query heads, no positions."""
    return {"kind": kind, "query_heads": 4, "kv_heads": 4, "head_dim": 4, **more}


def merged() -> dict[str, Any]:
    """A decoder whose queries meet its own past and the source in one softmax."""
    encoder = block(attention(mask={"kind": "bidirectional"}), MLP, layers="0", name="encoder")
    decoder = block(attention(kind="merged_attention"), MLP, layers="0", name="decoder")
    stacks = [
        {"stream": stream, "hidden_size": 16, "final_norm": RMS, "blocks": [b]}
        for stream, b in (("encoder", encoder), ("decoder", decoder))
    ]
    head = {"kind": "seq2seq", "rows": 48, "tied": True, "stream": "decoder"}
    return {"xfcheck": 1, "embedding": {"rows": 48, "streams": ["encoder", "decoder"]}, "head": head, "stacks": stacks}


SINGLE: dict[str, dict[str, Any]] = {
    "kimi delta": design(block(KIMI, MLP)),
    "kimi delta, gates through a rank": design(block({**KIMI, "gate_rank": 3, "split_convolution": False, "decay_axes": 4}, MLP)),
    "linear attention": design(block(LINEAR, MLP)),
    "linear attention, convolved, gated": design(block({**LINEAR, "kernel": 4, "gate": True, "gated_norm": RMS, "delta": True}, MLP)),
    "linear attention, slots": design(block({**LINEAR, "slots": 5}, MLP)),
    "griffin": design(block({"kind": "rg_lru", "width": 16, "heads": 2, "kernel": 4}, MLP)),
    "rwkv": design(block({"kind": "time_mix", "width": 16}, {"kind": "channel_mix", "width": 16, "intermediate_size": 24})),
    "xlstm": design(block(MLSTM, MLP)),
    "xlstm, fused, in pieces": design(block({**MLSTM, "packing": "fused", "longest": 12, "bias": True}, MLP)),
    "fourier": design(block({"kind": "fourier"}, MLP), head=MASKED),
    "groups": design(
        block(
            plain("grouped_attention", query_groups=2, key_groups=4, output_groups=2, **SEES_ALL),
            {"kind": "grouped_mlp", "intermediate_size": 24, "groups": 2, "output_groups": 4},
        ),
        head=MASKED,
    ),
    "groups as blocks": design(
        block(attention(**SEES_ALL), {"kind": "grouped_mlp", "intermediate_size": 24, "groups": 2, "storage": "blocks"}), head=MASKED
    ),
    "landmarks": design(block(plain("landmark_attention", landmarks=5, kernel=3, **SEES_ALL), MLP), head=MASKED),
    "landmarks, none": design(block(plain("landmark_attention", kernel=3, **SEES_ALL), MLP), head=MASKED),
    "experts of attention": design(
        block(attention(kind="expert_attention", experts=6, experts_per_token=2), MLP),
    ),
    "blocks by an indexer": design(
        block(
            attention(
                kind="block_indexed_attention", indexer={"heads": 2, "head_dim": 4, "block": 4, "top_blocks": 2}, mask={"kind": "causal"}
            ),
            MLP,
        )
    ),
    "blocks by means": design(
        block(attention(kind="indexed_attention", index_heads=2, index_dim=4, budget=8, ratio=4, query_norm=RMS, key_norm=RMS), MLP)
    ),
    "convolved": design(block(attention(kind="convolved_attention", depthwise_kernel=3, grouped_kernel=2, biases=["value"]), MLP)),
    "mixed convolution": design(
        block(plain("mixed_convolution", query_heads=2, kv_heads=2, kernel=3, input_size=16, output_size=16, **SEES_ALL), MLP), head=MASKED
    ),
    "memory": design(block(plain("memory_attention", input_size=16, position=None), MLP)),
    "merged": merged(),
}
"""Kinds with numbers here."""
