"""A model folder of 200 shards: whole-process CPU seconds of `lint` and of `tensors --against` on generated headers of real shapes.

The headers are those of the config's own tensors, dealt over the shards in the order of the checkpoint; the bodies are holes in sparse
files, which no command reads.

    python benchmarks/shards.py [--runs 5] [--shards 200] [--at-most SECONDS]
"""

from __future__ import annotations

import argparse
import compileall
import json
import statistics
import sys
import tempfile
from math import prod
from pathlib import Path
from typing import Any

from startup import seconds

import xfcheck
from xfcheck.documents.folder import open_model
from xfcheck.ledger import expand
from xfcheck.model import load

DENSE = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 16384, "num_hidden_layers": 126,
    "num_attention_heads": 128, "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 53248, "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "rms_norm_eps": 1e-05, "rope_theta": 500000.0, "tie_word_embeddings": False, "torch_dtype": "bfloat16", "bos_token_id": 128000,
    "eos_token_id": 128001,
}  # fmt: skip
EXPERTS = {
    "model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"], "hidden_size": 4096, "num_hidden_layers": 94,
    "num_attention_heads": 64, "num_key_value_heads": 4, "head_dim": 128, "intermediate_size": 12288, "moe_intermediate_size": 1536,
    "num_experts": 128, "num_experts_per_tok": 8, "norm_topk_prob": True, "decoder_sparse_step": 1, "mlp_only_layers": [],
    "vocab_size": 151936, "max_position_embeddings": 40960, "rms_norm_eps": 1e-06, "rope_theta": 1000000.0, "tie_word_embeddings": False,
    "torch_dtype": "bfloat16", "eos_token_id": 151645, "pad_token_id": 151643,
}  # fmt: skip
SHAPES = {"dense, 405 billion parameters": DENSE, "128 experts, 235 billion parameters": EXPERTS}
COMMANDS = {"lint": lambda f: ["lint", f], "tensors --against": lambda f: ["tensors", f, "--against", f]}


def lay(folder: Path, config: dict[str, Any], shards: int) -> int:
    """Write the folder: config, index and shards; the number of its tensors."""
    (folder / "config.json").write_text(json.dumps(config))
    tensors = {name: row.shape for name, row in expand(load(open_model(folder)).rows) if row.stored}
    names = list(tensors)
    each = -(-len(names) // shards)
    where: dict[str, str] = {}
    for number in range(shards):
        part = names[number * each : (number + 1) * each]
        file = f"model-{number + 1:05d}-of-{shards:05d}.safetensors"
        header, at = {}, 0
        for name in part:
            size = 2 * prod(tensors[name])
            header[name] = {"dtype": "BF16", "shape": tensors[name], "data_offsets": [at, at + size]}
            at += size
        text = json.dumps(header).encode()
        with (folder / file).open("wb") as out:
            out.write(len(text).to_bytes(8, "little") + text)
            out.truncate(8 + len(text) + at)
        where.update(dict.fromkeys(part, file))
    total = sum(2 * prod(shape) for shape in tensors.values())
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {"total_size": total}, "weight_map": where}))
    return len(names)


def main() -> None:
    """Print one row a shape and command; exit 1 where one takes longer than `--at-most`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--shards", type=int, default=200)
    parser.add_argument("--at-most", type=float, default=1.0)
    given = parser.parse_args()
    compileall.compile_dir(Path(xfcheck.__file__).parent, quiet=2)
    slow = False
    for shape, config in SHAPES.items():
        with tempfile.TemporaryDirectory() as folder:
            count = lay(Path(folder), config, given.shards)
            for name, command in COMMANDS.items():
                argv = [sys.executable, "-m", "xfcheck", *command(folder)]
                seconds(argv)
                taken = statistics.median(seconds(argv) for _ in range(given.runs))
                slow = slow or taken > given.at_most
                print(f"{shape}: {given.shards} shards, {count:,} tensors, {name}: {taken:.2f} s")
    sys.exit(int(slow))


if __name__ == "__main__":
    main()
