"""Types whose published class reads its keys as one of transformers does, under Llama's tensor names: Yi, XVERSE, Kimi-K2 and others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ._classes import class_table
from ._index import family
from ._read.draft import drafted
from ._read.frequencies import storing
from ._read.settings import Settings
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._classes import ClassTable


@dataclass(frozen=True, slots=True)
class Kin:
    """The type of transformers that is read instead, what the published class has otherwise, and where it is written.

    `sizes`: the published class's own defaults; every other size of the native class is taken out, so that a file must give it.
    `switches`: keys that the native class knows and the published one sets for good. `spelt`: its name -> the native name.
    """

    native: str
    source: str
    models: tuple[str, ...]
    sizes: Mapping[str, Any] = ()  # type: ignore[assignment]
    switches: Mapping[str, Any] = ()  # type: ignore[assignment]
    spelt: Mapping[str, str] = ()  # type: ignore[assignment]


LLAMA_7B = {
    "hidden_size": 4096,
    "intermediate_size": 11008,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": None,
}

KIN = {
    "Yi": Kin(
        "llama",
        "configuration_yi.py of 01-ai/Yi-6B",
        ("YiForCausalLM", "LlamaForCausalLM"),
        {**LLAMA_7B, "vocab_size": 64000, "num_key_value_heads": 4},
    ),
    "xverse": Kin("llama", "configuration_xverse.py of xverse/XVERSE-7B", ("XverseForCausalLM",), {**LLAMA_7B, "vocab_size": 100278}),
    "PanguEmbedded": Kin(
        "llama",
        "configuration_openpangu_dense.py of openPangu-Embedded-7B",
        ("PanguEmbeddedForCausalLM",),
        {
            "vocab_size": 153376,
            "hidden_size": 4096,
            "intermediate_size": 12800,
            "num_hidden_layers": 34,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
        },
        spelt={"bias": "attention_bias"},
    ),
    "minicpm": Kin(
        "llama",
        "configuration_minicpm.py of openbmb/MiniCPM-2B-sft-bf16",
        ("MiniCPMForCausalLM",),
        {**LLAMA_7B, "vocab_size": 32000},
        {"tie_word_embeddings": True},
    ),
    "kimi_k2": Kin("deepseek_v3", "configuration_deepseek.py of moonshotai/Kimi-K2-Instruct", ("DeepseekV3ForCausalLM",)),
    "mimo": Kin("qwen2", "configuration_mimo.py of XiaomiMiMo/MiMo-7B-Base", ("MiMoForCausalLM",)),
    "videollama3_qwen2": Kin("qwen2", "configuration of VideoLLaMA3, which extends Qwen2Config", ("Videollama3Qwen2ForCausalLM",)),
    "llava_qwen": Kin("qwen2", "LLaVA-NeXT, whose config extends Qwen2Config", ("LlavaQwenForCausalLM",)),
    "llava_llama": Kin("llama", "LLaVA, whose config extends LlamaConfig", ("LlavaLlamaForCausalLM",)),
    "llava_mistral": Kin("mistral", "LLaVA-NeXT, whose config extends MistralConfig", ("LlavaMistralForCausalLM",)),
    "llama3v": Kin("llama", "llama3v, whose config extends LlamaConfig", ()),
    "phi3_v": Kin("phi3", "configuration_phi3_v.py of microsoft/Phi-3-vision-128k-instruct", ("Phi3VForCausalLM",)),
    "aquila": Kin("llama", "configuration_aquila.py of BAAI/Aquila-7B", ("AquilaForCausalLM",), {**LLAMA_7B, "vocab_size": 100008}),
    "skywork": Kin(
        "llama", "configuration_skywork.py of Skywork/Skywork-13B-base", ("SkyworkForCausalLM",), {**LLAMA_7B, "vocab_size": 65519}
    ),
}
"""Type -> its kin. What the rest of such a checkpoint holds (a vision tower) is not counted."""

MODEL_TYPES = tuple(KIN)
CONFIRMED = {
    "Yi": "safetensors totals of 01-ai/Yi-6B, 6,061,035,520 parameters, and Yi-34B, 34,388,917,248",
    "PanguEmbedded": "safetensors index of openPangu-Embedded-7B: 16,061,784,576 bytes, of which 34 x 64 frequencies in fp32",
    "minicpm": "arXiv 2404.06395, table of MiniCPM-2.4B: 2,442,057,984 parameters beside the embedding",
    "kimi_k2": "arXiv 2507.20534: 1.04T parameters, 32.6B active; as DeepseekV3ForCausalLM 1,026,408,209,408",
    "mimo": "safetensors index of XiaomiMiMo/MiMo-7B: 15,666,819,072 bytes with its draft layer",
}
SIZES = ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim", "vocab_size")
SEEING = ("vision_config", "vision_encoder_config", "img_processor", "mm_vision_tower", "mm_projector_type")


def architecture(c: Settings) -> Architecture:
    """The native family's reading under the published class's defaults. Raises Refused XF101 for a size that neither gives."""
    kind = str(c.data.get("model_type"))
    kin = KIN[kind]
    reader, table = family(kin.native), class_table(kin.native)
    if reader is None or table is None:
        raise LookupError(f"{kin.native} is no family")
    if kind not in CONFIRMED or any(key in c.data for key in SEEING):
        why = f"the language model alone, read as {kin.native}: {kin.source}"
        c.assume("model_type", kind, why, estimated=True)
    if kind == "kimi_k2" and c.data.get("kv_lora_rank") is None:
        return _unlike(c)
    under = Settings({**c.data, **dict(kin.switches)}, _table(kind, kin, table), pointer=c.pointer, reading=c.reading)
    made = reader.architecture(under)
    return _with_draft(under, made) if kind == "mimo" else _with_frequencies(made) if kind == "PanguEmbedded" else made


def _with_draft(c: Settings, a: Architecture) -> Architecture:
    """MiMo's draft layer (arXiv 2505.07608, section 2.2), which no class builds for its plain model."""
    norm = a.main.final_norm
    if norm is None or not a.main.blocks:
        return a
    draft = drafted(c, a.main.blocks[0].sublayers, norm, head_norm=norm)
    return a.model_copy(update={"draft": draft, "naming": "mimo"})


def _with_frequencies(a: Architecture) -> Architecture:
    """The rotary frequencies that every layer of openPangu's checkpoint stores."""
    return a.model_copy(update={"stacks": [storing(stack) for stack in a.stacks]})


def _unlike(c: Settings) -> Architecture:
    """A file of the type that has none of its latent attention: read by its sizes."""
    from . import _unknown

    return _unknown.architecture(c)


def _table(kind: str, kin: Kin, table: ClassTable) -> ClassTable:
    """The native class with the published one's names, defaults and model classes."""
    own = {table.canonical(key): None for key in SIZES if table.declares(key)} | {table.canonical(k): v for k, v in dict(kin.sizes).items()}
    fields = {key: (types, own.get(key, value)) for key, (types, value) in table.fields.items()}
    return replace(
        table,
        class_name=f"the class of {kind}",
        published=kin.source,
        fields=fields,
        aliases={**table.aliases, **dict(kin.spelt)},
        architectures=dict.fromkeys(kin.models, "causal"),
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows under Llama's names."""
    return model(a, MIMO if a.naming == "mimo" else NAMES)


NAMES = LLAMA.but({"attention.frequencies": "self_attn.rotary_emb.inv_freq!"})
MIMO = NAMES.but(
    {
        "draft:layer": "model.mtp_layers.{layer}.",
        "draft_maps:layer": "model.mtp_layers.{layer}.",
        "draft.projection": "input_proj",
        "draft.embedding_norm": "token_layernorm",
        "draft.hidden_norm": "hidden_layernorm",
        "draft.head_norm": "final_layernorm",
    }
)
