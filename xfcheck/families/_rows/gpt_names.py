"""Names of the decoders between GPT-1 and Falcon, which keep their layers in `transformer.h`."""

from __future__ import annotations

from .names import LLAMA, Names

HEADS = {
    **{key: LLAMA.checkpoint[key] for key in LLAMA.checkpoint if key.endswith("classifier")},
    "token_classification:classifier": "classifier",
}
"""The names of classifiers: one over tokens is called so, one over sequences `score`."""

TRANSFORMER = Names(
    {
        **HEADS,
        "embedding": "transformer.wte",
        "layer": "transformer.h.{layer}.",
        "final_norm": "transformer.ln_f",
        "head": "lm_head",
        "attention.norm": "ln_1",
        "feed_forward.norm": "ln_2",
    },
    base_prefix="transformer.",
)
"""What GPT-2, GPT-J, GPT-Neo, CodeGen and GPT-BigCode have in common."""
