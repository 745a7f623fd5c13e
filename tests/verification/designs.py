"""Small model descriptions, one for each kind of mixer and its flags: what a verification must be able to build and run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from xfcheck.documents.folder import open_model
from xfcheck.model import Model, load

if TYPE_CHECKING:
    from pathlib import Path

RMS = {"kind": "rms", "eps": 1e-6}
LAYER = {"kind": "layer", "eps": 1e-5, "bias": True}
MLP = {"kind": "mlp", "intermediate_size": 24}
ROTARY = {"kind": "rotary", "theta": 10000.0}


def attention(**more: Any) -> dict[str, Any]:
    """Four query heads of four, two key-value heads."""
    return {"kind": "attention", "query_heads": 4, "kv_heads": 2, "head_dim": 4, "position": ROTARY, **more}


def cross(**more: Any) -> dict[str, Any]:
    """Attention over the encoder's output."""
    return {"kind": "cross_attention", "query_heads": 4, "kv_heads": 4, "head_dim": 4, **more}


def block(*mixers: dict[str, Any], layers: str = "0-1", name: str = "decoder", norm: dict[str, Any] = RMS, **more: Any) -> dict[str, Any]:
    """A pre-norm block: each mixer in a residual step of its own."""
    steps = [{"name": f"step{i}", "norm": norm, "mixers": [mixer], **more} for i, mixer in enumerate(mixers)]
    return {"name": name, "layers": layers, "sublayers": steps}


def design(*blocks: dict[str, Any], stream: str = "text", **more: Any) -> dict[str, Any]:
    """A whole description of hidden size 16 and 48 tokens."""
    return {
        "xfcheck": 1,
        "embedding": {"rows": 48},
        "head": {"kind": "causal", "rows": 48, "tied": True},
        "dtype": "bfloat16",
        "maximum_positions": 64,
        "stacks": [{"stream": stream, "hidden_size": 16, "final_norm": RMS, "blocks": list(blocks)}],
        **more,
    }


def encoder_decoder() -> dict[str, Any]:
    """Relative biases, a table that both stacks read, cross attention."""
    bias = {"kind": "relative_bias", "buckets": 8, "max_distance": 16}
    seen = {"kind": "attention", "query_heads": 4, "kv_heads": 4, "head_dim": 4}
    encoder = block({**seen, "mask": {"kind": "bidirectional"}, "position": bias}, MLP, layers="0", name="encoder")
    decoder = block({**seen, "position": {**bias, "bidirectional": False}}, cross(), MLP, layers="0", name="decoder")
    stacks = [
        {"stream": "encoder", "hidden_size": 16, "final_norm": RMS, "blocks": [encoder]},
        {"stream": "decoder", "hidden_size": 16, "final_norm": RMS, "blocks": [decoder]},
    ]
    head = {"kind": "seq2seq", "rows": 48, "tied": True, "stream": "decoder"}
    return {"xfcheck": 1, "embedding": {"rows": 48, "streams": ["encoder", "decoder"]}, "head": head, "stacks": stacks}


LATENT = {
    "kind": "latent_attention",
    "query_heads": 4,
    "query_rank": 12,
    "kv_rank": 10,
    "nope_dim": 6,
    "rope_dim": 4,
    "value_dim": 5,
    "position": ROTARY,
}
EXPERTS = {
    "kind": "moe",
    "experts": 6,
    "experts_per_token": 2,
    "expert": {"kind": "mlp", "intermediate_size": 8},
    "router": {"normalise": True},
}
GROUPED = {
    "scoring": "sigmoid",
    "normalise": True,
    "scale": 2.5,
    "correction": "buffer",
    "groups": 3,
    "groups_per_token": 2,
    "group_score_experts": 2,
}
DELTA = {"kind": "gated_delta", "key_heads": 2, "value_heads": 4, "key_dim": 4, "value_dim": 6, "kernel": 4, "chunk": 8}

DESIGNS: dict[str, dict[str, Any]] = {
    "grouped": design(block(attention(), MLP)),
    "multi-query, packed, biases": design(block(attention(kv_heads=1, packing="qkv", biases=["query", "key", "value", "output"]), MLP)),
    "head norms, gate, sinks": design(block(attention(query_norm=RMS, key_norm=RMS, gate="query", sinks=True), MLP)),
    "gates apart": design(block(attention(gate="elementwise"), attention(gate="headwise", name="second"), layers="0")),
    "windows": design(
        block(attention(mask={"kind": "sliding", "window": 5}), MLP, layers="0"), block(attention(), MLP, layers="1", name="full")
    ),
    "chunks, softcap": design(block(attention(mask={"kind": "chunked", "window": 6}, softcap=30.0), MLP)),
    "alibi, layer norm": design(
        block(
            attention(position={"kind": "alibi"}),
            {**MLP, "gated": False, "activation": "gelu", "bias": True, "output_bias": True},
            norm=LAYER,
        )
    ),
    "latent": design(block(LATENT, MLP)),
    "latent, indexed": design(
        block({**LATENT, "mask": {"kind": "indexed", "window": 4}, "indexer": {"heads": 2, "head_dim": 4, "top_k": 4}}, MLP)
    ),
    "experts": design(block(attention(), {**EXPERTS, "shared": MLP, "shared_experts": 1, "shared_gate": True})),
    "experts stacked": design(block(attention(), {**EXPERTS, "storage": "stacked", "router": GROUPED})),
    "experts transposed": design(
        block(attention(), {**EXPERTS, "storage": "transposed", "router": {"order": "topk_then_score", "bias": True}})
    ),
    "every expert": design(block(attention(), {**EXPERTS, "multiplied": "all"})),
    "mamba": design(block({"kind": "mamba", "inner_size": 32, "state_size": 4, "kernel": 4, "rank": 3, "inner_norms": RMS})),
    "mamba2": design(
        block({"kind": "mamba2", "heads": 4, "head_dim": 8, "state_size": 4, "groups": 2, "kernel": 4, "chunk": 8, "gated_norm": RMS})
    ),
    "gated delta": design(block({**DELTA, "packing": "grouped"}, MLP)),
    "gated delta, apart": design(block({**DELTA, "split_convolution": True}, MLP)),
    "lightning": design(block({"kind": "lightning_attention", "heads": 4, "head_dim": 4, "block": 8}, MLP)),
    "short convolution": design(block({"kind": "short_convolution", "channels": 16, "kernel": 3, "bias": True}, MLP)),
    "hybrid heads": design(
        {
            "name": "both",
            "layers": "0-1",
            "sublayers": [{"name": "mixing", "norm": RMS, "mixers": [attention(), {**MLP, "name": "beside"}]}],
        }
    ),
    "post-norm": design(
        {
            "name": "b",
            "layers": "0",
            "sublayers": [
                {
                    "name": "a",
                    "norm_residual": LAYER,
                    "mixers": [
                        attention(),
                    ],
                },
                {"name": "f", "norm_after": RMS, "layer_scale": True, "mixers": [MLP]},
            ],
        }
    ),
    "one set of weights": design({**block(attention(), MLP, layers="0"), "uses": 3}),
    "shared sublayer": design(
        {
            "name": "b",
            "layers": "0-2",
            "sublayers": [{"name": "a", "norm": RMS, "mixers": [attention()], "shared": True}, {"name": "f", "norm": RMS, "mixers": [MLP]}],
        }
    ),
    "encoder": design(
        block(attention(mask={"kind": "bidirectional"}), MLP),
        head={"kind": "masked", "rows": 48, "tied": True, "bias": True, "transform": True, "transform_norm": LAYER},
    ),
    "encoder-decoder": encoder_decoder(),
}


def read(folder: Path, data: dict[str, Any]) -> Model:
    """The model of a config written into the folder."""
    (folder / "config.json").write_text(json.dumps(data))
    return load(open_model(str(folder)))
