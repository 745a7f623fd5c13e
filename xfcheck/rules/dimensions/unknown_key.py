"""A key that the class does not read.

## What it does
Reports a key that is nearly the name of one that the class or every class reads and the file lacks (`intermidiate_size`,
`eos_token_ids`), and another class's or tool's name for a dimension that the file lacks under its own (`n_head` in a llama file).
Every other key that the class does not read is an info, and such a dimension too where the file brings code of its own (`auto_map`).

## Why is this bad?
Loaders keep unknown keys as attributes and say nothing; the value meant is then the class default. A typing error in
`num_hidden_layers` gives a model of 32 layers.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "torch_dtype": "bfloat16",
 "rms_norm_epss": 1e-05}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Source
vllm-project/vllm-ascend#6581; transformers 5.24.0, configuration_utils.py: additional keyword arguments become attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...documents.document import escape
from ...families._classes import base_table
from .._facts import nearest
from .._finding import Edit, Fix, Hit
from .._names import DIMENSIONS, OF, declared
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


RATIO = 0.85
"""How similar (difflib) a key must be to a known one to be taken for a misspelling."""

PLAIN = frozenset(
    [
        "model_type",
        "auto_map",
        "quantization_config",
        "quantization",
        "compression_config",
        "attn_implementation",
        "torch_dtype",
        "dtype",
        "bos_token_id",
        "eos_token_id",
        "pad_token_id",
        "sep_token_id",
        "unk_token_id",
        "decoder_start_token_id",
        "tokenizer_class",
        "task_specific_params",
        "finetuning_task",
        "prefix",
        "pruned_heads",
        "torchscript",
        "use_bfloat16",
        "tf_legacy_loss",
        "tie_encoder_decoder",
        "tie_word_embeddings",
        "is_decoder",
        "is_encoder_decoder",
        "add_cross_attention",
        "cross_attention_hidden_size",
        "cross_attention_shape",
        "use_cache",
        "gradient_checkpointing",
        "output_past",
        "cache_implementation",
        "transformers.js_config",
        "pretraining_tp",
        "unsloth_version",
        "unsloth_fixed",
        "adapters",
    ]
)
"""Keys of every config: those of PretrainedConfig in transformers 4, and what tools add to any file. None is a misspelling of another."""

GENERATION = ("max_new_tokens", "min_new_tokens", "min_p", "stop_strings", "eos_token_id", "bos_token_id", "pad_token_id", "guidance_scale")
"""Generation parameters that no config of a model ever held."""

MEANT = ("architectures", "quantization_config", "torch_dtype", "tie_word_embeddings", "bos_token_id", "eos_token_id", "pad_token_id")
"""Those of them that a model goes wrong without: a key that is nearly one of them, in as many words, is a misspelling of it."""


@rule("XF112", "unknown-key", "warning", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """Keys of each config object that its class does not accept."""
    flat = context.scopes[0] if context.scopes[0].pointer == "" else None
    for scope in context.nested:
        if scope.table is None:
            continue
        named: set[str] = set()
        for key in scope.data:
            if key in PLAIN or key.startswith("_") or scope.table.accepts(key):
                continue
            if not scope.pointer and flat is not None and flat.table is not None and flat.table.accepts(key):
                continue
            hit = judged(scope, key, named)
            # code of the model's own may read another tool's name of a dimension
            yield hit._replace(severity="info") if key in OF and "auto_map" in context.data else hit
    yield from of_generation(context)


def of_generation(context: Context) -> Iterator[Hit]:
    """Keys of generation_config.json that are nearly a generation parameter: loaders keep them as attributes that nothing reads."""
    given = context.side("generation_config.json") if "generation_config.json" in context.folder.beside() else None
    if not isinstance(given, dict):
        return
    known = sorted({*base_table().generation, *GENERATION})
    for key in given:
        if key in known or key in PLAIN or key.startswith("_"):
            continue
        meant = nearest(key, [name for name in known if name not in given], RATIO)
        if meant is not None and len(meant.split("_")) == len(key.split("_")):
            fix = Fix(f"rename it to {meant}", (Edit("rename", f"/{escape(key)}", meant),))
            said = f"generation does not read {key}"
            yield Hit(said, f"/{escape(key)}", help=f'did you mean "{meant}"?', file="generation_config.json", fix=fix, key=True)


def judged(scope: Scope, key: str, named: set[str]) -> Hit:
    """The finding about one key: a misspelling, a dimension under another name (once a dimension: `named`), or a key without a reader."""
    at = f"{scope.pointer}/{escape(key)}"
    name = "" if scope.table is None else scope.table.class_name
    # a name that code shared by all models reads is no misspelling of another
    meant = None if key in base_table().library_reads else misspelt(scope, key)
    if meant is not None:
        fix = Fix(f"rename it to {meant}", (Edit("rename", at, meant),))
        return Hit(f"{name} does not read {key}", at, help=f'did you mean "{meant}"?', fix=fix, key=True)
    meant = translated(scope, key)
    if meant is not None and OF[key] not in named:
        named.add(OF[key])
        label = DIMENSIONS[OF[key]].label
        default = None if scope.table is None else scope.table.default(meant)
        taken = f", which is taken from the class ({default})" if default is not None else ""
        return Hit(f"{name} does not read {key}: its {label} is {meant}{taken}", at, help=f'rename it to "{meant}"', key=True)
    return Hit(f"{key} is not read by {name}", at, severity="info", key=True)


def misspelt(scope: Scope, key: str) -> str | None:
    """The known key that is nearly this one and absent from the file."""
    table = scope.table
    if table is None:
        return None
    words = set(key.strip("_").split("_"))
    own = {*table.fields, *table.aliases, *table.kwargs, *table.reads, "rope_theta", "rope_scaling", "partial_rotary_factor"}
    known = [name for name in sorted(own) if name not in PLAIN and not name.startswith("_") and not scope.has(name)]
    shared = [name for name in MEANT if len(name.split("_")) == len(key.split("_")) and not scope.has(name)]
    meant = nearest(key, known, RATIO) or nearest(key, shared, RATIO)
    # a whole word more makes another key (vt_hidden_size), not a misspelt one
    return None if meant is None or set(meant.split("_")) < words else meant


def translated(scope: Scope, key: str) -> str | None:
    """The class's own name of the dimension that this key names elsewhere, where the file has none of them. Experts are XF515's."""
    dimension = OF.get(key)
    if dimension is None or scope.table is None or dimension in ("experts", "experts_per_token"):
        return None
    own = declared(scope.table, dimension)
    return None if not own or any(scope.has(name) for name in own) else own[0]
