"""Checkpoints against configs: every difference is found, every older naming and every quantised form is known."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.rules.examples import safetensors
from xfcheck.checkpoint.against import against
from xfcheck.checkpoint.files import open_checkpoint
from xfcheck.checkpoint.naming import fold
from xfcheck.documents.folder import open_model
from xfcheck.ledger import expand, modules
from xfcheck.model import load
from xfcheck.problems import Usage
from xfcheck.reports.checkpoint import comparison
from xfcheck.verification.against import checkpoint as proof

if TYPE_CHECKING:
    from pathlib import Path

    from xfcheck.checkpoint.against import Comparison

Shapes = dict[str, list[Any]]
MOE = {
    "model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"], "hidden_size": 16, "num_hidden_layers": 3,
    "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 8, "intermediate_size": 32, "moe_intermediate_size": 8,
    "num_experts": 4, "num_experts_per_tok": 2,
    "vocab_size": 32, "torch_dtype": "bfloat16", "tie_word_embeddings": False,
}  # fmt: skip
GPT2 = {
    "model_type": "gpt2",
    "architectures": ["GPT2LMHeadModel"],
    "n_layer": 2,
    "n_embd": 16,
    "n_head": 2,
    "n_positions": 8,
    "vocab_size": 32,
}
BERT = {
    "model_type": "bert", "architectures": ["BertForMaskedLM"], "num_hidden_layers": 2, "hidden_size": 16, "num_attention_heads": 2,
    "intermediate_size": 32, "vocab_size": 32,
}  # fmt: skip
T5 = {
    "model_type": "t5",
    "architectures": ["T5ForConditionalGeneration"],
    "num_layers": 1,
    "d_model": 16,
    "d_kv": 8,
    "d_ff": 32,
    "num_heads": 2,
    "vocab_size": 32,
}


def laid(folder: Path, config: dict[str, Any], *, names: str = "checkpoint", dtype: str = "F32") -> Shapes:
    """Write the config; the header of the checkpoint that agrees with it."""
    (folder / "config.json").write_text(json.dumps(config))
    rows = load(open_model(folder)).rows
    return {name: [dtype, *row.shape] for name, row in expand(rows if names == "checkpoint" else modules(rows)) if row.stored}


def judged(folder: Path, tensors: Shapes) -> Comparison:
    (folder / "model.safetensors").write_bytes(safetensors(tensors))
    return against(load(open_model(folder)), open_checkpoint(str(folder)))


@pytest.mark.parametrize("config", [MOE, GPT2, BERT, T5], ids=lambda c: c["model_type"])
@pytest.mark.parametrize("names", ["checkpoint", "module"])
def test_its_own_tensors_agree(config: dict[str, Any], names: str, tmp_path: Path) -> None:
    assert judged(tmp_path, laid(tmp_path, {**config, "torch_dtype": "float32"}, names=names)).agrees


@pytest.mark.parametrize(
    ("config", "older"),
    [
        (GPT2, lambda n: n.removeprefix("transformer.")),
        (GPT2, lambda n: f"_orig_mod.{n}"),
        (BERT, lambda n: n.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")),
        (BERT, lambda n: f"module.{n}".replace("LayerNorm.weight", "LayerNorm.gamma")),
        ({**BERT, "architectures": ["BertModel"]}, lambda n: f"bert.{n}"),
        ({**BERT, "architectures": ["BertModel"]}, lambda n: f"bert.{n}".replace("LayerNorm.bias", "LayerNorm.beta")),
    ],
)
def test_older_names_are_known(config: dict[str, Any], older: Any, tmp_path: Path) -> None:
    tensors = laid(tmp_path, config)
    found = judged(tmp_path, {older(n): s for n, s in tensors.items()})
    assert found.agrees, found


def test_what_older_versions_stored_is_no_difference(tmp_path: Path) -> None:
    tensors = laid(tmp_path, GPT2) | {"transformer.h.0.attn.bias": ["F32", 1, 1, 8, 8], "transformer.h.0.attn.masked_bias": ["F32"]}
    found = judged(tmp_path, tensors)
    assert found.agrees
    assert [e.name for e in found.not_loaded] == ["transformer.h.{layer}.attn.bias", "transformer.h.{layer}.attn.masked_bias"]
    more = laid(tmp_path, T5) | {"encoder.embed_tokens.weight": ["F32", 32, 16], "decoder.embed_tokens.weight": ["F32", 32, 16]}
    assert judged(tmp_path, more).agrees


def test_every_kind_of_difference(tmp_path: Path) -> None:
    tensors = laid(tmp_path, MOE, dtype="BF16")
    del tensors["model.layers.1.mlp.experts.2.up_proj.weight"], tensors["lm_head.weight"]
    tensors["model.norm.weight"] = ["BF16", 17]
    tensors["model.layers.0.self_attn.k_proj.weight"][0] = tensors["model.layers.2.self_attn.k_proj.weight"][0] = "F16"
    tensors["model.layers.0.foo.weight"] = tensors["model.layers.1.foo.weight"] = ["BF16", 3]
    found = judged(tmp_path, tensors)
    assert [(e.name, e.layers, e.experts, e.expected) for e in found.missing] == [
        ("model.layers.{layer}.mlp.experts.{expert}.up_proj.weight", "1", "2", [8, 16]), ("lm_head.weight", None, None, [32, 16]),
    ]  # fmt: skip
    assert [(e.name, e.expected, e.found) for e in found.shape] == [("model.norm.weight", [16], [17])]
    assert [(e.name, e.layers, e.tensors, e.expected, e.found) for e in found.dtype] == [
        ("model.layers.{layer}.self_attn.k_proj.weight", "0,2", 2, "bfloat16", "float16")
    ]
    assert [(e.name, e.layers, e.tensors) for e in found.unexpected] == [("model.layers.{layer}.foo.weight", "0-1", 2)]


def test_a_tied_head_that_is_stored_is_named_and_no_difference(tmp_path: Path) -> None:
    found = judged(tmp_path, laid(tmp_path, GPT2) | {"lm_head.weight": ["F32", 32, 16]})
    assert found.agrees
    assert [e.name for e in found.tied] == ["lm_head.weight"]


@pytest.mark.parametrize(
    ("method", "form"),
    [
        ("gptq", lambda o, i: {"qweight": ["I32", i // 8, o], "qzeros": ["I32", 1, o // 8], "scales": ["F16", 1, o], "g_idx": ["I32", i]}),
        ("fp8", lambda o, i: {"weight": ["F8_E4M3", o, i], "weight_scale_inv": ["F32", 1, 1]}),
        ("compressed-tensors", lambda o, i: {"weight_packed": ["I32", o, i // 8], "weight_scale": ["BF16", o], "weight_shape": ["I64", 2]}),
        ("bitsandbytes", lambda o, i: {"weight": ["U8", o * i // 2, 1], "weight.absmax": ["F32", 2], "weight.quant_map": ["F32", 16]}),
    ],
)  # fmt: skip
def test_quantised_matrices_stand_for_their_own(method: str, form: Any, tmp_path: Path) -> None:
    tensors = laid(tmp_path, {**MOE, "quantization_config": {"quant_method": method, "bits": 4, "group_size": 16}}, dtype="BF16")
    packed: Shapes = {}
    for name, entry in tensors.items():
        base = name.removesuffix(".weight")
        packed |= {f"{base}.{last}": e for last, e in form(*entry[1:]).items()} if "_proj" in name else {name: entry}
    found = judged(tmp_path, packed)
    assert (found.missing, found.unexpected, found.shape, found.dtype) == ([], [], [], [])
    assert found.quantised
    lost = {n: e for n, e in packed.items() if not n.startswith("model.layers.0.self_attn.q_proj")}
    assert [e.name for e in judged(tmp_path, lost).missing] == ["model.layers.{layer}.self_attn.q_proj.weight"]
    scales = {n: e for n, e in packed.items() if n.rpartition(".")[2] not in ("qweight", "weight_packed") or "layers.0." not in n}
    assert bool(judged(tmp_path, scales).missing) is (len(scales) < len(packed))


def test_an_index_alone_gives_names(tmp_path: Path) -> None:
    tensors = laid(tmp_path, MOE)
    path = tmp_path / "model.safetensors.index.json"
    path.write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": dict.fromkeys(tensors, "a.safetensors")}))
    found = against(load(open_model(tmp_path)), open_checkpoint(str(path)))
    assert (found.agrees, found.headers) == (True, False)


def test_names_fold_over_layers_and_experts() -> None:
    names = [f"m.{i}.e.{j}.w" for i in (0, 1, 3) for j in (0, 1)]
    assert [(f.name, f.layers, f.experts, f.tensors) for f in fold(names)] == [("m.{layer}.e.{expert}.w", "0-1,3", "0-1", 6)]


def test_the_command(tmp_path: Path) -> None:
    tensors = laid(tmp_path, GPT2)
    checkpoint = tmp_path / "model.safetensors"
    argv = [sys.executable, "-m", "xfcheck", "tensors", str(tmp_path), "--against", str(checkpoint), "--format", "json"]
    codes = []
    for change in ({}, {"extra.weight": ["F32", 1]}):
        checkpoint.write_bytes(safetensors(tensors | change))
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        codes.append(done.returncode)
        result = json.loads(done.stdout)["results"][0]
        assert result["agrees"] is (not change)
        assert [e["name"] for e in result["unexpected"]] == list(change)
    assert codes == [0, 1]


def test_a_terminal_obeys_no_name_of_a_tensor(tmp_path: Path) -> None:
    tensors = laid(tmp_path, GPT2)
    (tmp_path / "model.safetensors").write_bytes(safetensors(tensors | {"x\x1b[31m": ["F32", 1]}))
    argv = [sys.executable, "-m", "xfcheck", "tensors", str(tmp_path), "--against", str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert "\x1b" not in done.stdout
    assert "unexpected x\\x1b[31m" in done.stdout


def test_no_checkpoint_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(Usage, match="no safetensors file"):
        open_checkpoint(str(tmp_path))
    with pytest.raises(Usage, match="no such file"):
        open_checkpoint(str(tmp_path / "x"))


def test_two_hundred_shards_in_under_a_second(tmp_path: Path) -> None:
    tensors = laid(tmp_path, {**MOE, "num_hidden_layers": 48, "num_experts": 128}, dtype="BF16")
    names, where = sorted(tensors), {}
    assert len(names) > 18_000
    for number in range(200):
        shard = f"model-{number + 1:05d}-of-00200.safetensors"
        part = {n: tensors[n] for n in names[number::200]}
        where.update(dict.fromkeys(part, shard))
        (tmp_path / shard).write_bytes(safetensors(part))
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": where}))
    started = time.process_time()
    found = against(load(open_model(tmp_path)), open_checkpoint(str(tmp_path)))
    assert found.agrees
    assert time.process_time() - started < 1.0


def test_draft_layers_are_no_difference(tmp_path: Path) -> None:
    config = {
        "model_type": "deepseek_v3", "architectures": ["DeepseekV3ForCausalLM"], "hidden_size": 16, "num_hidden_layers": 2,
        "first_k_dense_replace": 1, "num_attention_heads": 2, "num_key_value_heads": 2, "q_lora_rank": 8, "kv_lora_rank": 8,
        "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 8, "intermediate_size": 32, "moe_intermediate_size": 8,
        "n_routed_experts": 4, "n_group": 1,
        "topk_group": 1, "num_experts_per_tok": 2, "vocab_size": 32, "num_nextn_predict_layers": 1,
    }  # fmt: skip
    draft: Shapes = {"model.layers.2.eh_proj.weight": ["F32", 16, 32], "model.layers.2.shared_head.head.weight": ["F32", 32, 16]}
    found = judged(tmp_path, laid(tmp_path, config) | draft)
    assert (found.agrees, {e.name for e in found.not_loaded}) == (
        True, {"model.layers.{layer}.eh_proj.weight", "model.layers.{layer}.shared_head.head.weight"},
    )  # fmt: skip


def test_a_bias_that_is_another_ones_tensor_is_no_difference(tmp_path: Path) -> None:
    found = judged(tmp_path, laid(tmp_path, BERT) | {"cls.predictions.decoder.bias": ["F32", 32]})
    assert (found.agrees, [e.name for e in found.tied]) == (True, ["cls.predictions.decoder.bias"])


def test_sizes_are_those_of_the_headers_and_of_the_declared_dtype(tmp_path: Path) -> None:
    # 4 bytes each: embeddings of 32 and 8 rows, a layer of 2 norms, qkv, output and an mlp of 64, a norm
    layer = 2 * 2 * 16 + (16 * 48 + 48) + (16 * 16 + 16) + (2 * 16 * 64 + 64 + 16)
    whole = 4 * (32 * 16 + 8 * 16 + 2 * layer + 2 * 16)
    config = {**GPT2, "torch_dtype": "float32"}
    found = judged(tmp_path, laid(tmp_path, config))
    assert (found.bytes_expected, found.bytes_found) == (whole, whole)
    # stored in 16 bits though the config says 32
    halved = judged(tmp_path, laid(tmp_path, config, dtype="F16"))
    assert (halved.bytes_expected, halved.bytes_found, bool(halved.dtype)) == (whole, whole // 2, True)
    # a head that is stored though it is tied
    tied = judged(tmp_path, laid(tmp_path, config) | {"lm_head.weight": ["F32", 32, 16]})
    assert (tied.bytes_expected, tied.bytes_found) == (whole, whole + 4 * 32 * 16)


def sharded(folder: Path, tensors: Shapes, **where: str) -> None:
    """Two shards and their index; `where` puts a tensor elsewhere in the index than it lies."""
    names = sorted(tensors)
    parts = {"model-00001-of-00002.safetensors": names[::2], "model-00002-of-00002.safetensors": names[1::2]}
    for file, held in parts.items():
        (folder / file).write_bytes(safetensors({n: tensors[n] for n in held}))
    placed = {n: file for file, held in parts.items() for n in held} | where
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": placed}))


@pytest.mark.parametrize(
    ("change", "agrees"),
    [
        (sharded, True),
        (lambda f, t: sharded(f, t | {"lm_head.weight": ["F32", 32, 16]}), True),
        (lambda f, t: sharded(f, t | {"more.weight": ["F32", 4]}), False),
        (lambda f, t: sharded(f, {n: s for n, s in t.items() if n != "transformer.ln_f.weight"}), False),
        (lambda f, t: sharded(f, t | {"transformer.wte.weight": ["F32", 33, 16]}), False),
        (lambda f, t: sharded(f, t | {"transformer.wte.weight": ["F16", 32, 16]}), False),
        (lambda f, t: sharded(f, t, **{"transformer.ln_f.weight": "model-00003-of-00002.safetensors"}), False),
        (lambda f, t: (sharded(f, t), (f / "model-00002-of-00002.safetensors").unlink()), False),
        (lambda f, t: (f / "model.safetensors").write_bytes(safetensors(t)[:-1]), False),
    ],
    ids=["whole", "tied head", "unexpected", "missing", "shape", "dtype", "misplaced", "no shard", "cut off"],
)
def test_both_commands_judge_alike(change: Any, agrees: bool, tmp_path: Path) -> None:
    change(tmp_path, laid(tmp_path, {**GPT2, "torch_dtype": "float32"}))
    model = load(open_model(tmp_path))
    (check,) = proof(model, str(tmp_path))
    result = comparison(model, open_checkpoint(str(tmp_path)))
    assert (check.verdict, result["agrees"]) == ("agreed" if agrees else "differs", agrees)
    assert (check.expected, check.got) == (result["tensors"]["expected"], result["tensors"]["found"])


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "0 bytes: a safetensors file begins with the 8 bytes of its header's size"),
        ((2**40).to_bytes(8, "little") + b"{}", "a header of 1,099,511,627,776 bytes: the format allows"),
        ((99).to_bytes(8, "little") + b"{}", "a header of 99 bytes in a file of 10: the file is cut off"),
        ((5).to_bytes(8, "little") + b"{bad!", "the header is no JSON"),
        (LFS, "a Git LFS pointer, not the file itself"),
    ],
)
@pytest.mark.parametrize("command", ["tensors", "verify"])
def test_a_header_that_cannot_be_read_is_said(command: str, content: bytes, said: str, tmp_path: Path) -> None:
    tensors = laid(tmp_path, GPT2)
    sharded(tmp_path, tensors)
    (tmp_path / "model-00002-of-00002.safetensors").write_bytes(content)
    if command == "verify":
        with pytest.raises(Usage, match=r"model-00002-of-00002\.safetensors: ") as raised:
            proof(load(open_model(tmp_path)), str(tmp_path))
        assert said in str(raised.value)
        return
    argv = [sys.executable, "-m", "xfcheck", "tensors", str(tmp_path), "--against", str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"{tmp_path.as_posix()}/model-00002-of-00002.safetensors: {said}" in done.stderr
    assert done.stdout == ""


def test_an_index_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    sharded(tmp_path, laid(tmp_path, GPT2))
    for text in ("{", '{"weight_map": 3}', "[]", "null"):
        (tmp_path / "model.safetensors.index.json").write_text(text)
        with pytest.raises(Usage, match=r"model\.safetensors\.index\.json: "):
            open_checkpoint(str(tmp_path))
