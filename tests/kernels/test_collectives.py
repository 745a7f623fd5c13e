"""Messages of a config by hand; two processes that exchange them; what is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

torch = pytest.importorskip("torch")

from xfcheck.documents.folder import open_model  # noqa: E402
from xfcheck.kernels import collectives  # noqa: E402
from xfcheck.kernels.messages import Message, messages  # noqa: E402
from xfcheck.model import load  # noqa: E402
from xfcheck.problems import Usage  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

TINY: dict[str, Any] = {
    "model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 96, "vocab_size": 320, "max_position_embeddings": 128, "num_local_experts": 4,
    "num_experts_per_tok": 2,
}  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "config.json").write_text(json.dumps(TINY))
    return str(tmp_path)


def test_messages_of_a_config(path: str) -> None:
    """10 tokens of 64 after attention and after the experts of 3 layers; 2 copies of each to experts and back; a layer's weights.

    A layer: query and output 64 x 64, key and value 64 x 32, router 4 x 64, 4 experts of 3 matrices 64 x 96, 2 norms of 64.
    """
    layer = 2 * 64 * 64 + 2 * 64 * 32 + 4 * 64 + 4 * 3 * 64 * 96 + 2 * 64
    assert {(m.collective, m.purpose): (m.elements, m.times) for m in messages(load(open_model(path)), 10)} == {
        ("all-reduce", "tensor parallel"): (640, 6),
        ("all-gather", "sequence parallel"): (640, 6),
        ("all-gather", "sharded weights"): (layer, 3),
        ("all-to-all", "dispatch to experts"): (1280, 6),
    }


@pytest.mark.parametrize(
    ("collective", "ranks", "factor"),
    [("all-reduce", 2, 1.0), ("all-reduce", 8, 1.75), ("all-gather", 2, 0.5), ("all-gather", 8, 0.875), ("all-to-all", 4, 0.75)],
)
def test_bus_bandwidth(collective: str, ranks: int, factor: float) -> None:
    """nccl-tests: 2 (n - 1) / n of an all-reduce, (n - 1) / n of the others."""
    assert Message(collective, "", 1, 1, "").bus(100.0, ranks) == pytest.approx(100 * factor)


def test_sizes_are_multiples_of_the_ranks() -> None:
    assert Message("all-gather", "", 10, 1, "").padded(4) == 12
    assert Message("all-gather", "", 12, 1, "").padded(4) == 12


def launched(*arguments: str, ranks: int = 2) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks), "-m"]
    return subprocess.run(
        [*command, "xfcheck.kernels.collectives", *arguments], capture_output=True, text=True, check=False, timeout=180, env=environment
    )


def test_two_processes(path: str) -> None:
    done = launched(path, "--tokens", "64", "--budget-seconds", "30", "--format", "json")
    assert done.returncode == 0, done.stderr
    element = json.loads(done.stdout)["results"][0]
    assert (element["ranks"], element["nodes"], element["backend"]) == (2, 1, "gloo")
    assert element["device"]["name"]
    assert element["refused"] == []
    rows = {(r["collective"], r["purpose"]): r for r in element["rows"]}
    assert {name: r["bytes"] for name, r in rows.items()} == {
        ("all-reduce", "tensor parallel"): 64 * 64 * 2,
        ("all-gather", "sequence parallel"): 64 * 64 * 2,
        ("all-gather", "sharded weights"): 2 * (2 * 64 * 64 + 2 * 64 * 32 + 4 * 64 + 4 * 3 * 64 * 96 + 2 * 64),
        ("all-to-all", "dispatch to experts"): 2 * 64 * 64 * 2,
    }
    for row in rows.values():
        assert row["algbw_gb_per_s"] == pytest.approx(row["bytes"] / row["median_ms"] / 1e6)
        factor = 1.0 if row["collective"] == "all-reduce" else 0.5
        assert row["busbw_gb_per_s"] == pytest.approx(factor * row["algbw_gb_per_s"])


def test_the_budget_bounds_them(path: str) -> None:
    """Gigabytes of messages in no time at all: rank 0 says stop, and both ranks do."""
    done = launched(path, "--tokens", "4000000", "--budget-seconds", "0.01", "--format", "text")
    assert done.returncode == 0, done.stderr
    assert "cut short: budget" in done.stdout


def test_a_wrong_collective_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reduction that leaves one rank's numbers as they are; one process stands for all."""
    from xfcheck.kernels import exchange

    sums = iter([1.0, 1.0, 1.0])
    monkeypatch.setattr(exchange.dist, "get_world_size", lambda: 2)
    monkeypatch.setattr(exchange.dist, "get_rank", lambda: 0)
    monkeypatch.setattr(exchange.dist, "broadcast", lambda *_: None)
    monkeypatch.setattr(exchange.dist, "all_reduce", lambda *_, **__: next(sums, None))
    one = exchange.Exchange(torch.device("cpu"), "float32", float("inf"))
    one.one(Message("all-reduce", "tensor parallel", 4096, 1, ""))
    assert one.rows == []
    assert one.refused[0]["why"] == "a rank received other numbers than were sent"


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([], "torchrun --nproc-per-node"),
        (["--dtype", "int8"], "--dtype is"),
        (["--tokens", "0"], "above 0"),
    ],
)
def test_what_cannot_be_asked(flags: list[str], said: str, path: str, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    assert collectives.main([path, *flags]) == 2
    assert said in capsys.readouterr().err


def test_nccl_without_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(Usage, match="needs a GPU for each rank"):
        collectives.chosen("nccl")
    assert collectives.chosen(None)[0] == "gloo"


def test_each_rank_has_its_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    set_to = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    monkeypatch.setattr(torch.cuda, "set_device", set_to.append)
    monkeypatch.setenv("LOCAL_RANK", "3")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "4")
    assert collectives.chosen(None) == ("nccl", torch.device("cuda", 3))
    assert set_to == [3]


@pytest.mark.parametrize("problem", [KeyboardInterrupt, RuntimeError])
def test_an_interrupted_run_reports_what_it_has(
    problem: type[BaseException], path: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By Ctrl-C here, or because another rank is gone and its connection with it."""
    import signal

    from xfcheck.kernels import exchange

    def stops(self: exchange.Exchange, _wanted: object) -> None:
        self.rows.append(exchange.row(Message("all-reduce", "tensor parallel", 640, 6, ""), 1280, [1e-3] * 3, "bfloat16"))
        raise problem

    before = signal.getsignal(signal.SIGTERM)
    for name, value in {"init_process_group": lambda *_, **__: None, "get_rank": lambda: 0, "get_world_size": lambda: 2}.items():
        monkeypatch.setattr(torch.distributed, name, value)
    monkeypatch.setattr(exchange.Exchange, "all", stops)
    monkeypatch.setenv("WORLD_SIZE", "2")
    try:
        assert collectives.main([path, "--backend", "gloo", "--format", "json"]) == 130
    finally:
        signal.signal(signal.SIGTERM, before)
    element = json.loads(capsys.readouterr().out)["results"][0]
    assert element["stopped"] == "interrupted"
    assert element["rows"][0]["algbw_gb_per_s"] == pytest.approx(1280 / 1e-3 / 1e9)
