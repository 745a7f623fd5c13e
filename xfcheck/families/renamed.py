"""Types whose published class reads its keys as one of transformers does: Yi, Kimi-K2, Falcon's first types and others."""

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

FALCON = {"hidden_size": 4544, "num_kv_heads": None, "multi_query": False, "parallel_attn": False, "alibi": False, "bias": False}
FALCON_NAMES = {"n_embed": "hidden_size", "n_layer": "num_hidden_layers", "n_head": "num_attention_heads", "n_head_kv": "num_kv_heads"}

KIN = {
    "Yi": Kin(
        "llama",
        "configuration_yi.py of 01-ai/Yi-6B",
        ("YiForCausalLM", "LlamaForCausalLM"),
        {**LLAMA_7B, "vocab_size": 64000, "num_key_value_heads": 4},
    ),
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
    "RefinedWeb": Kin(
        "falcon",
        "configuration_RW.py of tiiuae/falcon-40b",
        ("RWForCausalLM", "RWModel"),
        FALCON,
        {"new_decoder_architecture": True},
        spelt=FALCON_NAMES,
    ),
    "RefinedWebModel": Kin(
        "falcon",
        "configuration_RW.py of tiiuae/falcon-7b",
        ("RWForCausalLM", "RWModel"),
        FALCON,
        {"new_decoder_architecture": False},
        spelt=FALCON_NAMES,
    ),
    "stablelm_epoch": Kin(
        "stablelm",
        "configuration_stablelm_epoch.py of stabilityai/stablelm-3b-4e1t",
        ("StableLMEpochForCausalLM", "StableLmEpochForCausalLM"),
        {
            "vocab_size": 50304,
            "hidden_size": 2560,
            "intermediate_size": 6912,
            "num_hidden_layers": 32,
            "num_attention_heads": 32,
            "num_key_value_heads": 32,
        },
        spelt={"rope_pct": "partial_rotary_factor", "norm_eps": "layer_norm_eps"},
    ),
    "moss": Kin(
        "codegen",
        "configuration_moss.py of fnlp/moss-moon-003-base",
        ("MossForCausalLM",),
        {"vocab_size": 107008, "n_embd": 4096, "n_layer": 28, "n_head": 16, "n_positions": 2048, "rotary_dim": 64},
    ),
    "Dream": Kin("qwen2", "configuration_dream.py of Dream-org/Dream-v0-Base-7B, which has Qwen2's keys", ("DreamModel",)),
    "sdar": Kin("qwen3", "configuration_sdar.py of JetLM/SDAR-1.7B-Chat, which has Qwen3's keys", ("SDARForCausalLM",)),
    "sdar_moe": Kin("qwen3_moe", "configuration_sdar_moe.py of JetLM/SDAR-30B-A3B-Chat", ("SDARMoeForCausalLM",)),
    "solar": Kin("llama", "configuration_solar.py of upstage/solar-pro-preview-instruct", ("SolarForCausalLM",)),
    "telechat3": Kin(
        "llama", "configuration_telechat3.py of Tele-AI/TeleChat3-36B-Thinking", ("TeleChat3ForCausalLM", "Telechat3ForCausalLM")
    ),
    "index": Kin("llama", "configuration_index.py of IndexTeam/Index-1.9B", ("IndexForCausalLM",)),
}
"""Type -> its kin. What the rest of such a checkpoint holds (a vision tower) is not counted."""

MODEL_TYPES = tuple(KIN)
CONFIRMED = {
    "RefinedWeb": "tiiuae/falcon-40b, the same weights under transformers' class of Falcon",
    "RefinedWebModel": "tiiuae/falcon-7b, the same weights under transformers' class of Falcon",
    "stablelm_epoch": "safetensors total of stabilityai/stable-code-3b: 2,795,443,200 parameters",
    "Dream": "safetensors total of Dream-org/Dream-v0-Instruct-7B: 7,615,616,512 parameters",
    "Yi": "safetensors totals of 01-ai/Yi-6B, 6,061,035,520 parameters, and Yi-34B, 34,388,917,248",
    "PanguEmbedded": "safetensors index of openPangu-Embedded-7B: 16,061,784,576 bytes, of which 34 x 64 frequencies in fp32",
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
    if kind == "mimo":
        return _with_draft(under, made)
    made = _with_frequencies(made) if kind == "PanguEmbedded" else made
    return made if kin.native == "llama" else made.model_copy(update={"naming": f"{kin.native}/{made.naming or ''}"})


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
    """The rows under the native class's names, for most of them Llama's."""
    native, named, own = (a.naming or "").partition("/")
    reader = family(native) if named else None
    if reader is not None:
        return reader.ledger(a.model_copy(update={"naming": own or None}))
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
