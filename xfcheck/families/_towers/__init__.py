"""Towers: models inside another one that turn images, videos or sound into its vectors.

Each module reads some config classes of towers as a family reads model types: `architecture` gives one stack of stream `image` or `audio`,
`ledger` its tensors under the names that the tower has when it stands alone. A whole puts its own prefix before them
(`_read/towers.py`). Their types are no entries of the families' index: alone they read no tokens, and no budget could be given of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from .._index import Family

TOWERS = {
    "clip_vision_model": "clip",
    "clip_text_model": "clip_text",
    "siglip_text_model": "clip_text",
    "siglip2_text_model": "clip_text",
    "siglip_vision_model": "siglip",
    "siglip2_vision_model": "siglip",
    "idefics2_vision": "siglip",
    "idefics3_vision": "siglip",
    "smolvlm_vision": "siglip",
    "paddleocr_vl_vision": "siglip",
    "vit": "vit",
    "deit": "vit",
    "pixtral": "pixtral",
    "glm4v_vision": "glm4v",
    "glm4v_moe_vision": "glm4v",
    "glm_ocr_vision": "glm4v",
    "kimi_k25_vision": "kimi",
    "ovis2_vision": "ovis2",
    "minimax_m3_vl_vision": "minimax_m3",
    "hunyuan_vl_vision": "hunyuan_vl",
    "hy_v4_vl_vision": "hunyuan_vl",
    "inkling2_vision": "inkling2",
    "muse_glimmer_vision": "muse_glimmer",
    "lfm3_vl_vision": "lfm3",
    "llama4_vision_model": "llama4",
    "got_ocr2_vision": "sam",
    "pp_chart2table_vision": "sam",
    "sam_vision_model": "sam",
    "internvl_vision": "internvl",
    "qwen2_vl_vision": "qwen_vl",
    "qwen2_5_vl_vision": "qwen_vl",
    "qwen3_vl_vision": "qwen_vl",
    "qwen3_vl_moe_vision": "qwen_vl",
    "qwen2_5_omni_vision_encoder": "qwen_vl",
    "qwen3_omni_moe_vision_encoder": "qwen_vl",
    "exaone4_5_vision": "qwen_vl",
    "cohere_compass_vision": "qwen_vl",
    "qwen3_5_vision": "qwen_vl",
    "qwen4_exp_vision": "qwen_vl",
    "qwen3_5_moe_vision": "qwen_vl",
    "mllama_vision_model": "mllama",
    "gemma4_vision": "gemma4",
    "gemma4_audio": "gemma4",
    "qwen2_5_omni_audio_encoder": "qwen_audio",
    "qwen3_omni_moe_audio_encoder": "qwen_audio",
    "blip_2_vision_model": "blip",
    "instructblip_vision_model": "blip",
    "instructblipvideo_vision_model": "blip",
    "blip_2_qformer": "qformer",
    "instructblip_qformer": "qformer",
    "instructblipvideo_qformer": "qformer",
    "video_llama_3_vision": "siglip",
    "qianfan_ocr_vision": "internvl",
    "granite_docling_vision": "granite_docling",
    "kosmos_2_vision_model": "clip",
    "kosmos_2_5_vision_model": "kosmos",
    "minicpm_ocr_vision": "minicpm",
    "minicpmv4_6_vision": "minicpm",
    "minicpmv4_7_vision": "minicpm",
}
"""Config class of a tower -> its module here."""


def tower(model_type: object) -> Family | None:
    """The module that reads a tower's type, null for one that none reads. The type is looked up, never imported by its own name."""
    name = TOWERS.get(model_type) if isinstance(model_type, str) else None
    return None if name is None else cast("Family", import_module(f"{__package__}.{name}"))
