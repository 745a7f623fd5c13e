"""FlexAttention on a CPU: each shape is compiled anew, up to a minute, so in a whole run alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

torch = pytest.importorskip("torch")

from xfcheck.kernels import flex  # noqa: E402
from xfcheck.kernels.case import Case  # noqa: E402
from xfcheck.kernels.trial import trial  # noqa: E402

CPU = torch.device("cpu")
PLAIN = Case("prefill", 1, 48, 48, 4, 2, 64, 64, "float32")
CASES = {
    "causal": PLAIN,
    "bf16": replace(PLAIN, dtype="bfloat16"),
    "window, n < m": replace(PLAIN, kind="sliding", window=9, query_length=20),
    "documents": replace(PLAIN, kind="document", window=18),
    "chunks": replace(PLAIN, kind="chunked", window=18, query_length=20),
    "prefix": replace(PLAIN, kind="prefix", prefix=20),
    "local": replace(PLAIN, kind="local", window=6),
    "bidirectional": replace(PLAIN, kind="bidirectional"),
    "softcap": replace(PLAIN, softcap=3.0),
    "decode": replace(PLAIN, query_length=1),
}

pytestmark = pytest.mark.skipif(flex.why_not(CPU) is not None, reason=str(flex.why_not(CPU)))


@pytest.mark.full
@pytest.mark.parametrize("name", CASES)
def test_every_mask(name: str) -> None:
    """1e-2 in bf16; in 32 bits what a check allows, as there is no 64-bit kernel."""
    error = trial(flex.backend(CPU), CASES[name], "forward", CPU).error
    assert error < (1e-2 if CASES[name].dtype == "bfloat16" else 1e-4)
