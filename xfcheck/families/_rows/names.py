"""The names a family gives to the parts of an architecture."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Names(NamedTuple):
    """Where each part's tensors lie in a checkpoint, and in transformers' modules where that differs.

    Keys are `slot.part` (`attention.query`, `mlp.gate`, `feed_forward.norm`) and, for the whole, `layer` (the prefix of a layer's tensors,
    with `{layer}`), `embedding`, `head`, `final_norm`, ... Values lack the ending: `.weight` and `.bias` are added; a value that
    ends in `!` is the whole name. Keys of one stack begin with its stream (`decoder:layer`) and win over the plain ones.
    `base_prefix` is what the bare model's names lack. A norm with a tensor a head has `{head}` in its name. A module
    name of several, joined by `|`, is one tensor of the checkpoint that is cut evenly over them.
    """

    checkpoint: Mapping[str, str]
    module: Mapping[str, str] = {}
    base_prefix: str = "model."
    module_prefix: str | None = None

    def but(
        self, checkpoint: Mapping[str, str] | None = None, module: Mapping[str, str] | None = None, base_prefix: str | None = None
    ) -> Names:
        """These names with some replaced."""
        return Names(
            {**self.checkpoint, **(checkpoint or {})},
            {**self.module, **(module or {})},
            self.base_prefix if base_prefix is None else base_prefix,
            self.module_prefix,
        )

    def find(self, key: str, stream: str) -> str:
        """The checkpoint's name of a part. Raises LookupError that says which key a family lacks."""
        found = self.checkpoint.get(f"{stream}:{key}", self.checkpoint.get(key))
        if found is None:
            raise LookupError(f"this family gives no name to {key!r} (stream {stream!r})")
        return found

    def find_module(self, key: str, stream: str) -> str | None:
        """The module's name of a part where it is not the checkpoint's."""
        return self.module.get(f"{stream}:{key}", self.module.get(key))


LLAMA = Names(
    {
        "embedding": "model.embed_tokens",
        "layer": "model.layers.{layer}.",
        "final_norm": "model.norm",
        "head": "lm_head",
        "classifier": "score",
        "question_answering:classifier": "qa_outputs",
        "attention.norm": "input_layernorm",
        "attention.query": "self_attn.q_proj",
        "attention.key": "self_attn.k_proj",
        "attention.value": "self_attn.v_proj",
        "attention.output": "self_attn.o_proj",
        "attention.qkv": "self_attn.qkv_proj",
        "attention.query_norm": "self_attn.q_norm",
        "attention.key_norm": "self_attn.k_norm",
        "attention.sinks": "self_attn.sinks!",
        "latent_attention.query": "self_attn.q_proj",
        "latent_attention.query_a": "self_attn.q_a_proj",
        "latent_attention.query_norm": "self_attn.q_a_layernorm",
        "latent_attention.query_b": "self_attn.q_b_proj",
        "latent_attention.kv_a": "self_attn.kv_a_proj_with_mqa",
        "latent_attention.kv_norm": "self_attn.kv_a_layernorm",
        "latent_attention.kv_b": "self_attn.kv_b_proj",
        "latent_attention.output": "self_attn.o_proj",
        "latent_attention.indexer_query": "self_attn.indexer.wq_b",
        "latent_attention.indexer_key": "self_attn.indexer.wk",
        "latent_attention.indexer_norm": "self_attn.indexer.k_norm",
        "latent_attention.indexer_weights": "self_attn.indexer.weights_proj",
        "feed_forward.norm": "post_attention_layernorm",
        "mlp.gate": "mlp.gate_proj",
        "mlp.up": "mlp.up_proj",
        "mlp.down": "mlp.down_proj",
        "mlp.gate_up": "mlp.gate_up_proj",
        "mlp.activation": "mlp.act_fn",
        "mlp.inner_norm": "mlp.ffn_sub_norm",
        "moe.router": "mlp.gate",
        "moe.correction": "mlp.gate.e_score_correction_bias!",
        "moe.expert.gate": "mlp.experts.{expert}.gate_proj",
        "moe.expert.up": "mlp.experts.{expert}.up_proj",
        "moe.expert.down": "mlp.experts.{expert}.down_proj",
        "moe.shared.gate": "mlp.shared_experts.gate_proj",
        "moe.shared.up": "mlp.shared_experts.up_proj",
        "moe.shared.down": "mlp.shared_experts.down_proj",
        "moe.shared_gate": "mlp.shared_expert_gate",
        "draft.projection": "eh_proj",
        "draft.embedding_norm": "enorm",
        "draft.hidden_norm": "hnorm",
        "draft.head_norm": "shared_head.norm",
        "draft.embedding": "embed_tokens",
        "draft.head": "shared_head.head",
    },
    {
        "moe.expert.gate": "mlp.experts.gate_up_proj!",
        "moe.expert.up": "mlp.experts.gate_up_proj!",
        "moe.expert.down": "mlp.experts.down_proj!",
    },
)
"""The names of Llama and of most decoders after it; in transformers 5 the experts of a layer are one tensor."""
