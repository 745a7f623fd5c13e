"""Linear recurrences: the reference against numbers worked out apart, every torch form against it, and which configs have them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from xfcheck.documents.folder import open_model  # noqa: E402
from xfcheck.kernels import scans  # noqa: E402
from xfcheck.kernels.backend import Backend, ImpossibleError  # noqa: E402
from xfcheck.kernels.check import WrongError, check  # noqa: E402
from xfcheck.kernels.inputs import Tokens, fresh, require_varied  # noqa: E402
from xfcheck.kernels.layers import Lengths, layers, placed_at  # noqa: E402
from xfcheck.kernels.recurrence import Recurrence  # noqa: E402
from xfcheck.kernels.reference import recurrence  # noqa: E402
from xfcheck.kernels.trial import trial  # noqa: E402
from xfcheck.model import load  # noqa: E402

CPU = torch.device("cpu")
SAMPLES = Path(__file__).parents[2] / "sample_configs"
PLAIN = Recurrence("prefill", 2, 21, 0, 4, 4, 8, 6, "float64", chunk=8)
CASES = {
    "mamba-2": replace(PLAIN, groups=2),
    "lightning": PLAIN,
    "linear": replace(PLAIN, decay="none"),
    "gated delta": replace(PLAIN, groups=2, delta=True),
    "delta": replace(PLAIN, decay="none", delta=True),
    "kimi": replace(PLAIN, decay="channel", delta=True),
    "mamba-1": replace(PLAIN, groups=1, value_dim=1, decay="channel"),
    "tokens after others": replace(PLAIN, past=9, delta=True),
    "a step": replace(PLAIN, query_length=1, past=9),
}
REFUSED = {
    "torch-chunked": {"kimi", "mamba-1", "a step"},
    "torch-doubling": {"gated delta", "delta", "kimi", "tokens after others", "a step"},
    "torch-recurrent": set(),
}


@pytest.fixture(autouse=True)
def alone() -> None:
    torch.manual_seed(11)


def written_out(case: Recurrence, given: Tokens) -> list[list[list[float]]]:
    """One sequence, number by number: [head][token][value]."""
    query, key, value = (t[0].tolist() for t in given.tensors)
    out = []
    for h in range(case.heads):
        g = h * case.groups // case.heads
        state = [[0.0] * case.value_dim for _ in range(case.key_dim)] if given.state is None else given.state[0, h].tolist()
        tokens = []
        for t in range(case.query_length):
            for i in range(case.key_dim):
                if given.decay is not None:
                    logarithm = given.decay[0, h, t].tolist()
                    shrink = math.exp(logarithm[i] if case.decay == "channel" else logarithm[0])
                    state[i] = [shrink * s for s in state[i]]
            k = key[g][t]
            for j in range(case.value_dim):
                put = value[h][t][j]
                if given.rate is not None:
                    put = given.rate[0, h, t, 0].item() * (put - sum(k[i] * state[i][j] for i in range(case.key_dim)))
                for i in range(case.key_dim):
                    state[i][j] += k[i] * put
            tokens.append([sum(query[g][t][i] * state[i][j] for i in range(case.key_dim)) for j in range(case.value_dim)])
        out.append(tokens)
    return out


@pytest.mark.parametrize("name", CASES)
def test_the_reference_itself(name: str) -> None:
    case = replace(CASES[name], batch=1)
    given = fresh(case, CPU)
    assert (recurrence(given)[0] - torch.tensor(written_out(case, given), dtype=torch.float64)).abs().max() < 1e-12


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("backend", scans.backends(), ids=lambda b: b.name)
def test_every_form(backend: Backend, name: str, direction: str) -> None:
    if name in REFUSED[backend.name]:
        with pytest.raises(ImpossibleError):
            trial(backend, CASES[name], direction, CPU)
        return
    assert trial(backend, CASES[name], direction, CPU).error < 1e-6
    assert trial(backend, replace(CASES[name], dtype="bfloat16"), "forward", CPU).error < 3e-2


def test_a_scan_that_forgets_its_first_state_is_caught() -> None:
    case = CASES["tokens after others"]
    with pytest.raises(WrongError):
        check(case, "forward", lambda given: recurrence(given._replace(state=None)), CPU)


def test_a_scan_without_decay_is_caught() -> None:
    with pytest.raises(WrongError):
        check(PLAIN, "forward", lambda given: recurrence(given._replace(decay=None)), CPU)


def test_flops_and_bytes() -> None:
    """3 tokens, 4 states of 8 x 6: 2 FLOPs an element to write, 2 to read, 2 to ask it; in 16 bits, with decays and states in 32."""
    case = replace(PLAIN, batch=1, query_length=3, groups=2, dtype="bfloat16")
    assert case.flops("forward") == 3 * 4 * 8 * 6 * 4
    assert replace(case, delta=True).flops("backward") == 2 * 3 * 4 * 8 * 6 * 6
    once = 3 * (2 * 2 * 8 + 4 * 6 + 4 * 6) * 2 + 3 * 4 * 4
    assert case.bytes("forward") == once
    assert replace(case, past=5).bytes("forward") == once + 2 * 4 * 8 * 6 * 4
    assert replace(case, delta=True).bytes("forward") == once + 3 * 4 * 4


def test_inputs_vary() -> None:
    for case in CASES.values():
        require_varied(fresh(case, CPU))


@pytest.mark.parametrize(
    ("model_type", "mixer", "expected"),
    [
        ("qwen3_next", "gated_delta", ("head", True, 16, 32, 128, 128)),
        ("minimax", "lightning_attention", ("head", False, 32, 32, 128, 128)),
        ("kimi_linear", "kimi_delta", ("channel", True, 32, 32, 128, 128)),
    ],
)
def test_linear_attention_of_a_config(model_type: str, mixer: str, expected: tuple[object, ...], tmp_path: Path) -> None:
    """Decay, delta rule, heads of keys and of states, and widths, from the models' default configs."""
    (tmp_path / "config.json").write_text(json.dumps({"model_type": model_type}))
    cases, _ = layers(load(open_model(str(tmp_path))).architecture, "float32")
    found = next(case for case in cases if case.mixer == mixer)
    assert isinstance(found, Recurrence)
    assert (found.decay, found.delta, found.groups, found.heads, found.key_dim, found.value_dim) == expected


@pytest.mark.parametrize(
    ("name", "mixer", "shape", "count"),
    [
        ("mamba2-130m", "mamba2", (24, 1, 128, 64), 24),
        ("jamba-v0.1", "mamba", (8192, 1, 16, 1), 28),
    ],
)
def test_of_a_config(name: str, mixer: str, shape: tuple[int, ...], count: int) -> None:
    """Heads, groups, key and value widths from the models' own pages; Mamba's B and C are shared by all channels."""
    cases, _ = layers(load(open_model(str(SAMPLES / name))).architecture, "float32")
    found = next(case for case in cases if case.mixer == mixer)
    assert isinstance(found, Recurrence)
    assert (found.heads, found.groups, found.key_dim, found.value_dim) == shape
    assert found.layers == count
    step = placed_at(found, Lengths("decode", 3, 100, new=2))
    assert step is not None
    assert (step.batch, step.query_length, step.key_length) == (3, 2, 100)
