"""Names of classes that do not fit each other.

## What it does
Warns where `id2label` and `label2id` are not each other's inverse, and where `num_labels` is not the number of names. A key of `id2label`
that is no number is an error, and a `problem_type` that no loss has.

## Why is this bad?
The classifier has a row for each entry of `id2label`, and predictions are read through it: two maps that disagree give each class the name
of another, without a word. `num_labels` beside a map of another length is overruled with a log line. Keys are turned into numbers.

## Example
```json
{"model_type": "bert", "architectures": ["BertForSequenceClassification"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 96, "torch_dtype": "float32", "id2label": {"0": "no", "1": "yes"},
 "label2id": {"no": 1, "yes": 0}}
```

## Use instead
```json
{"model_type": "bert", "architectures": ["BertForSequenceClassification"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 96, "torch_dtype": "float32", "id2label": {"0": "no", "1": "yes"},
 "label2id": {"no": 0, "yes": 1}}
```

## Source
transformers 5.24.0, configuration_utils.py (`num_labels`, `id2label`) and loss/loss_utils.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...documents.document import escape
from .._finding import Hit, Related
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


NUMBER = re.compile(r"\s*-?\d{1,18}\s*")
PROBLEMS = ("regression", "single_label_classification", "multi_label_classification")


@rule("XF418", "label-maps-disagree", "warning", needs=("id2label", "problem_type"))
def check(context: Context) -> Iterator[Hit]:
    """The maps of each config object, and the kind of its loss."""
    for scope in context.nested:
        problem, names = scope.data.get("problem_type"), scope.data.get("id2label")
        if isinstance(problem, str) and problem not in PROBLEMS:
            said = f'problem_type "{problem[:60]}": no loss is called that'
            yield Hit(said, scope.at("problem_type"), help=", ".join(PROBLEMS), severity="error")
        if isinstance(names, dict) and names:
            yield from maps(scope, names)


def maps(scope: Scope, names: dict[str, Any]) -> Iterator[Hit]:
    """`id2label` against itself, `num_labels` and `label2id`."""
    at = scope.at("id2label")
    strange = next((key for key in names if NUMBER.fullmatch(key) is None), None)
    if strange is not None:
        yield Hit(
            f"{strange[:40]!r} is no number: transformers turns the keys into numbers",
            f"{at}/{escape(strange)}",
            severity="error",
            key=True,
        )
        return
    count, back = scope.data.get("num_labels"), scope.data.get("label2id")
    if isinstance(count, int) and not isinstance(count, bool) and count != len(names):
        said = f"num_labels {count} and {len(names)} names"
        yield Hit(said, scope.at("num_labels"), help=f"{len(names)}, or none", related=(Related(f"{len(names)} names", at),))
    if not isinstance(back, dict) or not back:
        return
    wrong = next((name for key, name in names.items() if isinstance(name, str) and name in back and str(back[name]) != str(int(key))), None)
    if wrong is not None:
        yield Hit(
            f"{wrong[:40]!r} is class {back[wrong]} in label2id and another in id2label, which names the predictions",
            f"{scope.at('label2id')}/{escape(wrong)}",
            help="label2id as the inverse of id2label",
            related=(Related("id2label", at),),
        )
