"""The shape ledger: the worked example of B 2, n 4, d 8 and two heads of 4, and the rectangle of cross attention."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLE: dict[str, Any] = {
    "xfcheck": 1, "embedding": {"rows": 10}, "head": {"kind": "causal", "rows": 10}, "dtype": "float32",
    "stacks": [{"hidden_size": 8, "final_norm": {"kind": "rms"}, "blocks": [{"name": "layer", "layers": "0", "sublayers": [
        {"name": "a", "norm": {"kind": "rms"}, "mixers": [{"kind": "attention", "query_heads": 2, "kv_heads": 2, "head_dim": 4}]},
        {"name": "f", "norm": {"kind": "rms"}, "mixers": [{"kind": "mlp", "intermediate_size": 16}]},
    ]}]}],
}  # fmt: skip
TABLE = {
    "embedding": (["B", "n", "d"], [2, 4, 8]),
    "text.layer.a.attention.query": (["B", "H_q", "n", "d_h"], [2, 2, 4, 4]),
    "text.layer.a.attention.key": (["B", "H_kv", "n", "d_h"], [2, 2, 4, 4]),
    "text.layer.a.attention.value": (["B", "H_kv", "n", "d_v"], [2, 2, 4, 4]),
    "text.layer.a.attention.scores": (["B", "H_q", "n", "n"], [2, 2, 4, 4]),
    "text.layer.a.attention.heads": (["B", "H_q", "n", "d_v"], [2, 2, 4, 4]),
    "text.layer.a.attention.concat": (["B", "n", "H_q*d_v"], [2, 4, 8]),
    "text.layer.a.attention.output": (["B", "n", "d"], [2, 4, 8]),
    "final_norm": (["B", "n", "d"], [2, 4, 8]),
    "logits": (["B", "n", "V"], [2, 4, 10]),
}


def shapes(folder: Path, data: dict[str, Any], *flags: str) -> dict[str, Any]:
    path = folder / "config.json"
    path.write_text(json.dumps(data))
    program = (
        "import sys; from xfcheck.cli.app import run\ntry:\n run(sys.argv[1:])\n"
        "except SystemExit as e: print(e.code, 'torch' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "shapes", str(path), "--format", "json", *flags], capture_output=True, text=True, check=True
    )
    assert done.stderr.split() == ["0", "False"]
    return {row["name"]: row for row in json.loads(done.stdout)["results"][0]["rows"]}


def test_the_worked_example(tmp_path: Path) -> None:
    rows = shapes(tmp_path, EXAMPLE, "--batch", "2", "--length", "4")
    assert {name: (rows[name]["symbolic"], rows[name]["shape"]) for name in TABLE} == TABLE
    assert rows["token_ids"]["bytes"] == 2 * 4 * 8
    assert rows["logits"]["bytes"] == 2 * 4 * 10 * 4
    tiled = {name for name, row in rows.items() if not row["materialised"]}
    assert tiled == {"text.layer.a.attention.scores", "text.layer.a.attention.weights"}


def test_cross_attention_is_a_rectangle(tmp_path: Path) -> None:
    config = {
        "model_type": "t5",
        "architectures": ["T5ForConditionalGeneration"],
        "d_model": 16,
        "num_layers": 1,
        "num_heads": 2,
        "d_kv": 8,
        "d_ff": 32,
        "vocab_size": 40,
    }
    rows = shapes(tmp_path, config, "--batch", "3", "--length", "5", "--source-length", "7")
    scores = {name: row for name, row in rows.items() if name.endswith(".scores")}
    assert sorted(tuple(row["shape"]) for row in scores.values()) == [(3, 2, 5, 5), (3, 2, 5, 7), (3, 2, 7, 7)]
    assert sorted(tuple(row["symbolic"][2:]) for row in scores.values()) == [("m", "m"), ("m", "n"), ("n", "n")]


def test_an_encoder_of_sound_reads_features(tmp_path: Path) -> None:
    """Whisper reads 3,000 frames of 80 bins, of which its second convolution makes 1,500 vectors; no ids."""
    rows = shapes(tmp_path, {"model_type": "whisper", "torch_dtype": "float32"}, "--batch", "2", "--length", "3")
    assert (rows["source_features"]["symbolic"], rows["source_features"]["shape"]) == (["B", "bins", "2*n"], [2, 80, 3000])
    assert rows["source_features"]["bytes"] == 2 * 80 * 3000 * 4
    assert "source_token_ids" not in rows
    assert rows["token_ids"]["shape"] == [2, 3]


def test_a_tower_is_named_and_not_given_the_length_of_the_text(tmp_path: Path) -> None:
    from xfcheck.model import understand
    from xfcheck.shapes import ledger, unknown

    a = understand({"model_type": "git", "architectures": ["GitForCausalLM"]}, None).architecture  # type: ignore[arg-type]
    assert unknown(a) == ["the tower over image, whose vectors no length gives"]
    rows = ledger(a, batch=1, length=9, source=9, dtype="float32", image=4)
    assert {x.dims[-2:] for x in rows if x.name.startswith("image.") and x.name.endswith(".scores")} == {(("n_image", 4), ("n_image", 4))}
    assert not [x for x in ledger(a, batch=1, length=9, source=9, dtype="float32") if x.name.startswith("image.")]
