"""What the tool itself reports, beside the rules: no module finds these, no selection hides them."""

from __future__ import annotations

from ._registry import Rule


def _told(code: str, name: str, severity: str) -> Rule:
    return Rule(code, name, severity, "stable", "_plumbing", (), on=True)


RULES = {
    "XF900": _told("XF900", "rule-crashed", "error"),
    "XF901": _told("XF901", "file-problem", "error"),
    "XF905": _told("XF905", "xfcheck-yaml-unknown-key", "error"),
    "XF906": _told("XF906", "suppression-without-effect", "warning"),
}
"""By code, as the index has the others."""

PAGES = {
    "XF900": """## What it does
Says that a rule raised an exception on this config. Everything else is still reported, and the exit code is 2.

## Why is this bad?
It is a fault of xfcheck, not of the config: what the rule would have found is not known. Please report it with the config.

## Example
There is none that stays: each is mended when it is found.

## Use instead
`--ignore` does not hide it; an older or newer version of xfcheck may do.
""",
    "XF901": """## What it does
Reports what is wrong with a file as a file: it cannot be read, is no JSON, YAML or TOML, holds a key twice, NaN, a trailing comma, a byte
order mark, or no object where one is needed. Files beside the config are reported where a rule reads them.

## Why is this bad?
Readers disagree on such files: one stops, another takes the last of two values without a word.

## Example
```json
{"model_type": "llama", "rope_theta": 10000.0, "rope_theta": 500000.0}
```

## Use instead
```json
{"model_type": "llama", "rope_theta": 500000.0}
```
""",
    "XF905": """## What it does
Reports a key of xfcheck.yaml or of the tool's own configuration that nobody reads, or whose value is of the wrong type, with the nearest
name.

## Why is this bad?
A misspelt key has no effect, and what it should have checked is not checked.

## Example
```yaml xfcheck.yaml
deploy: {tensor_paralel: 8}
```

## Use instead
```yaml xfcheck.yaml
deploy: {tensor_parallel: 8}
```
""",
    "XF906": """## What it does
Reports a comment `# xfcheck: ignore[CODE] reason` that no finding needs, that names no code, or that gives no reason.

## Why is this bad?
The comment outlives what it was for and hides the next finding in its line.

## Example
```yaml
hidden_size: 4096  # xfcheck: ignore[XF104] the heads are odd on purpose
```

## Use instead
Take the comment away, or the one code in it that finds nothing.
""",
}
"""The pages that `xfcheck explain` prints."""
