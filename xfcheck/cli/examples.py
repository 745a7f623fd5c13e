"""What `--help` shows of each command: lines that can be copied."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "lint": (
        "xfcheck lint config.json",
        "xfcheck lint . --format github --output sarif:xfcheck.sarif",
        "xfcheck lint models --select XF1,XF3 --fail-on warning",
        "xfcheck lint . --changed-since origin/main",
        "xfcheck lint config.json --set deploy.tensor_parallel=8",
        "xfcheck lint . --baseline-write baseline.json",
        "xfcheck lint . --baseline baseline.json",
        "xfcheck lint config.json --diff",
        "xfcheck lint config.json --fix",
    ),
    "inspect": ("xfcheck inspect config.json", "xfcheck inspect model --strict --format json"),
    "budget": (
        "xfcheck budget config.json",
        "xfcheck budget model --context 32768 --batch 8 --cache-dtype fp8",
        "xfcheck budget models --format jsonl --output costs.jsonl",
        "xfcheck budget config.json --require-exact",
    ),
    "tensors": ("xfcheck tensors config.json", "xfcheck tensors model --names module --format json"),
    "explain": ("xfcheck explain XF104", "xfcheck explain kv-heads-not-dividing --format markdown"),
    "rules": ("xfcheck rules", "xfcheck rules --format json"),
    "families": ("xfcheck families", "xfcheck families --format json"),
    "config": ("xfcheck config", "xfcheck config models/llama --format json", "xfcheck config --config xfcheck.toml"),
    "schema": ("xfcheck schema model", "xfcheck schema xfcheck.toml --output xfcheck.toml.schema.json"),
}
"""Command -> its examples, the plainest first."""
