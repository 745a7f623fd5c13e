"""A preprocessor that makes other inputs than the model takes.

## What it does
Compares preprocessor_config.json with the vision or audio config: patch sizes, merge sizes and mel bins, which have to be equal,
and, as an info, the size of images.

## Why is this bad?
Inputs of another width do not fit the first layer, or are cut into other patches than those the position table was made for.

## Example
```json
{"model_type": "whisper", "architectures": ["WhisperForConditionalGeneration"], "torch_dtype": "bfloat16", "d_model": 64,
 "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 128,
 "decoder_ffn_dim": 128, "vocab_size": 96, "max_source_positions": 1500, "max_target_positions": 448, "num_mel_bins": 128,
 "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, "decoder_start_token_id": 3, "begin_suppress_tokens": null}
```
```json preprocessor_config.json
{"feature_extractor_type": "WhisperFeatureExtractor", "feature_size": 80, "sampling_rate": 16000}
```

## Use instead
```json
{"model_type": "whisper", "architectures": ["WhisperForConditionalGeneration"], "torch_dtype": "bfloat16", "d_model": 64,
 "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 128,
 "decoder_ffn_dim": 128, "vocab_size": 96, "max_source_positions": 1500, "max_target_positions": 448, "num_mel_bins": 128,
 "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, "decoder_start_token_id": 3, "begin_suppress_tokens": null}
```
```json preprocessor_config.json
{"feature_extractor_type": "WhisperFeatureExtractor", "feature_size": 128, "sampling_rate": 16000}
```

## Source
transformers 5.24.0, models/whisper/feature_extraction_whisper.py (`feature_size`), models/qwen2_vl/image_processing_qwen2_vl.py
(`patch_size`, `merge_size`, `temporal_patch_size`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._finding import Hit, Related
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope

FILE = "preprocessor_config.json"
PAIRS = {
    "patch_size": ("patch_size",), "merge_size": ("spatial_merge_size",), "temporal_patch_size": ("temporal_patch_size",),
    "feature_size": ("num_mel_bins",),
}  # fmt: skip
"""Key of the preprocessor -> keys of the config that have to be equal."""
SIZES = ("crop_size", "size")


@rule("XF912", "preprocessor-differs", "warning", needs=(f"file:{FILE}",))
def check(context: Context) -> Iterator[Hit]:
    """Each pair where both are whole numbers, in the root or in the vision or audio config."""
    data = context.side(FILE)
    if not isinstance(data, dict):
        return
    parts = [s for s in context.nested if not any(s.pointer == t.pointer for t in context.scopes) or s.pointer == ""]
    for key, names in PAIRS.items():
        given = _whole(data.get(key))
        for scope, name in ((s, n) for s in parts for n in names if given is not None):
            wanted = scope.whole(name, default=False)
            if wanted is not None and wanted != given:
                yield _hit(scope, key, given, name, wanted)
    yield from _image(data, parts)


def _image(data: dict[str, Any], parts: list[Scope]) -> Iterator[Hit]:
    for key in SIZES:
        size = data.get(key)
        edge = _whole(size.get("height", size.get("shortest_edge"))) if isinstance(size, dict) else _whole(size)
        for scope in parts if edge is not None else ():
            wanted = scope.whole("image_size", default=False)
            if wanted is not None and wanted != edge:
                yield _hit(scope, key, edge, "image_size", wanted)._replace(severity="info")
        if edge is not None:
            return


def _hit(scope: Scope, key: str, given: int | None, name: str, wanted: int) -> Hit:
    at = scope.at(name)
    said = f"the preprocessor's {key} is {given}, the model's {name} {wanted}"
    return Hit(said, f"/{key}", help=f"{wanted}", file=FILE, related=(Related(f"{name} {wanted}", at),))


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
