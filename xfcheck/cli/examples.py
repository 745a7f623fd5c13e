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
    "rules": ("xfcheck rules", "xfcheck rules XF3", "xfcheck rules --format json"),
    "families": ("xfcheck families", "xfcheck families llama", "xfcheck families --format json"),
    "resolve": (
        "xfcheck resolve config.json",
        "xfcheck resolve config.json --reader vllm --format json",
        "xfcheck resolve config.json --diff transformers@4 transformers@5",
    ),
    "devices": ("xfcheck devices",),
    "verify": ("xfcheck verify config.json",),
    "shapes": ("xfcheck shapes config.json --batch 2 --length 4",),
    "compare": ("xfcheck compare config.json --vary attention=mha,gqa:8,mqa", "xfcheck compare old/config.json new/config.json"),
    "bench": ("xfcheck bench config.json",),
    "plan": ("xfcheck plan config.json --world 8 --tp 8",),
    "shrink": ("xfcheck shrink config.json --parameters 2M -o tiny",),
    "report": ("xfcheck report config.json -o report.html",),
    "convert": ("xfcheck convert config.json --to yaml",),
    "init": ("xfcheck init",),
    "config": ("xfcheck config", "xfcheck config models/llama --format json", "xfcheck config --config xfcheck.toml"),
    "schema": ("xfcheck schema model", "xfcheck schema xfcheck.toml --output xfcheck.toml.schema.json"),
}
"""Command -> its examples, the plainest first; of what is no command yet they are not shown."""
