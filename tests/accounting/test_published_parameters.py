"""Parameter counts as papers, model cards and logs print them; counts that the reference made of published dimensions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from xfcheck.accounting.parameters import parameters
from xfcheck.architecture.blocks import Block, Projection, Stack, Sublayer
from xfcheck.architecture.layers import LayerSet
from xfcheck.architecture.mixers.attention import Attention
from xfcheck.architecture.mixers.mlp import MLP
from xfcheck.architecture.model import Architecture
from xfcheck.architecture.norm import Norm
from xfcheck.architecture.vocabulary import Embedding, Head
from xfcheck.families._rows.model import model as ledger
from xfcheck.families._rows.names import LLAMA
from xfcheck.model import understand

FIGURES = [json.loads(line) for line in (Path(__file__).parent / "figures" / "parameters.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("figure", FIGURES, ids=[f"{f['model']}-{f['quantity']}" for f in FIGURES])
def test_published(figure: dict[str, Any]) -> None:
    """Exactly where the figure is exact, within what was rounded where it is not."""
    got: Any = {"parameters": parameters(understand(figure["config"], None).rows)}  # type: ignore[arg-type]
    for key in figure["quantity"].split("."):
        got = got[key]
    assert got == figure["value"] if not figure["tolerance"] else got == pytest.approx(figure["value"], rel=figure["tolerance"])


# Table A9 of Chinchilla (arXiv 2203.15556): millions, d_model, ffw, kv, heads, layers.
# Relative positions of Transformer-XL: one more matrix a layer.
CHINCHILLA = [
    (44, 512, 2048, 64, 8, 8), (74, 640, 2560, 64, 10, 10), (106, 640, 2560, 64, 10, 16), (140, 768, 3072, 64, 12, 15),
    (163, 768, 3072, 64, 12, 18),
    (217, 896, 3584, 64, 14, 18), (278, 1024, 4096, 64, 16, 18), (306, 1024, 4096, 64, 16, 20), (425, 1280, 5120, 128, 10, 18),
    (587, 1408, 5632, 128, 11, 21), (664, 1408, 5632, 128, 11, 24), (724, 1536, 6144, 128, 12, 22), (1266, 2048, 8192, 128, 16, 22),
    (1424, 2176, 8704, 128, 17, 22), (1429, 2048, 8192, 128, 16, 25), (1593, 2048, 8192, 128, 16, 28), (1609, 2176, 8704, 128, 17, 25),
    (1731, 2304, 9216, 128, 18, 24), (1794, 2176, 8704, 128, 17, 28), (2298, 2560, 10240, 128, 20, 26), (2980, 2560, 10240, 128, 20, 34),
    (3530, 2688, 10752, 128, 22, 36), (4084, 2944, 11776, 128, 22, 36), (6796, 3584, 14336, 128, 28, 40), (9293, 4096, 16384, 128, 32, 42),
    (12295, 4608, 18432, 128, 36, 44), (13735, 4864, 19456, 128, 32, 47), (14940, 4992, 19968, 128, 32, 49),
]  # fmt: skip


def relative(d: int, ffw: int, kv: int, heads: int, layers: int, vocab: int = 32000) -> dict[str, Any]:
    """Parameters of a decoder with relative positions, a tied head and plain feed-forward networks."""
    attention = Sublayer(
        name="attention", norm=Norm(), mixers=[Attention(query_heads=heads, kv_heads=heads, head_dim=kv)],
        projections=[Projection(name="relative", shape=[kv * heads, d], component="attention")]
    )  # fmt: skip
    network = Sublayer(name="mlp", norm=Norm(), mixers=[MLP(intermediate_size=ffw, gated=False)])
    stack = Stack(
        hidden_size=d, blocks=[Block(name="layer", layers=LayerSet.first(layers), sublayers=[attention, network])], final_norm=Norm()
    )
    described = Architecture(embedding=Embedding(rows=vocab), stacks=[stack], head=Head(rows=vocab, tied=True))
    names = {"attention.relative": "self_attn.r_proj", "attention.norm": "input_layernorm", "mlp.norm": "post_attention_layernorm"}
    return parameters(ledger(described, LLAMA.but(names)))


@pytest.mark.parametrize("row", CHINCHILLA, ids=lambda row: f"{row[0]}M")
def test_chinchilla(row: tuple[int, ...]) -> None:
    millions, d, ffw, kv, heads, layers = row
    assert relative(d, ffw, kv, heads, layers)["total"] == pytest.approx(millions * 10**6, rel=0.012)


def test_gopher() -> None:
    """280B: 80 layers, 128 heads of 128 (Chinchilla, Table 4)."""
    assert relative(16384, 65536, 128, 128, 80)["total"] == pytest.approx(280e9, rel=0.002)


def test_rows_of_a_model_card() -> None:
    """gpt-oss-120b (arXiv 2508.10925, Table 1): its MLP row holds the router, 114.71B; attention 0.96B."""
    config = {
        "model_type": "gpt_oss", "hidden_size": 2880, "num_hidden_layers": 36, "num_attention_heads": 64, "num_key_value_heads": 8,
        "head_dim": 64,
        "intermediate_size": 2880, "num_local_experts": 128, "num_experts_per_tok": 4, "vocab_size": 201088, "tie_word_embeddings": False,
    }  # fmt: skip
    parts: Any = parameters(understand(config, None).rows)["by_component"]  # type: ignore[arg-type]
    assert parts["experts"] + parts["router"] == pytest.approx(114.71e9, rel=2e-4)
    assert parts["attention"] == pytest.approx(0.96e9, rel=6e-3)


# d_model, d_ff, heads, vocabulary of 24 layers a side -> what transformers 4 counts: flan-t5-xl, flan-t5-xxl, mt5-large
UNTIED = [(2048, 5120, 32, 32128, 2849757184), (4096, 10240, 64, 32128, 11135332352), (1024, 2816, 16, 250112, 1229581312)]


@pytest.mark.parametrize(("d", "ffn", "heads", "rows", "printed"), UNTIED)
def test_heads_that_transformers_5_ties(d: int, ffn: int, heads: int, rows: int, printed: int) -> None:
    """T5 v1.1 and mT5 publish a head of their own, which transformers 5 no longer builds; that is said, with its size."""
    config = {
        "model_type": "mt5" if rows > 32128 else "t5", "d_model": d, "d_ff": ffn, "d_kv": 64, "num_heads": heads, "num_layers": 24,
        "vocab_size": rows, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False,
    }  # fmt: skip
    model = understand(config, None)  # type: ignore[arg-type]
    assert parameters(model.rows)["total"] + rows * d == printed
    assert any(a.field == "/tie_word_embeddings" and f"{rows:,} x {d:,}" in a.why for a in model.assumptions)
    tied = understand(config | {"tie_word_embeddings": True}, None)  # type: ignore[arg-type]
    assert not any(a.field == "/tie_word_embeddings" for a in tied.assumptions)
