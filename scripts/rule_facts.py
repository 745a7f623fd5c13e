"""Write `xfcheck/rules/_facts.json`: names that rules judge by, read off an installed transformers.

`--check` only compares (exit 1 when stale).
"""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from typing import Any

import class_tables_fields as fields
import transformers
from transformers.activations import ACT2FN
from transformers.configuration_utils import _LEGACY_LAYER_TYPE_REMAP, ALLOWED_ATTN_LAYER_TYPES, ALLOWED_MLP_LAYER_TYPES
from transformers.utils.quantization_config import QuantizationMethod

from xfcheck.families._classes import class_table, known_types

OUT = Path(__file__).resolve().parent.parent / "xfcheck" / "rules" / "_facts.json"


def declared() -> dict[str, list[tuple[tuple[str, ...], Any]]]:
    """Every declared field of every class: name -> (types, default) of each class."""
    found: dict[str, list[tuple[tuple[str, ...], Any]]] = {}
    for model_type in sorted(known_types()):
        table = class_table(model_type)
        for key, row in ({} if table is None else table.fields).items():
            found.setdefault(key, []).append(row)
    return found


def refuses_uneven_heads(model_type: str) -> bool:
    """Whether the class refuses a hidden size that its heads do not divide, whatever head_dim says."""
    try:
        config: Any = fields.config_class(model_type)
        source = inspect.getsource(config.validate_architecture)
    except (AttributeError, OSError, TypeError):
        return False
    return "% self.num_attention_heads" in source


def refuses_null_head_dim(model_type: str) -> bool:
    """Whether the class does not declare head_dim and its attention takes the key as it is where it is there, null too."""
    table = class_table(model_type)
    if table is None or "head_dim" in table.fields or table.canonical("head_dim") != "head_dim":
        return False
    folder = Path(inspect.getfile(fields.config_class(model_type))).parent
    sources = "".join(path.read_text() for path in folder.glob("modeling_*.py"))
    return 'getattr(config, "head_dim", config.' in sources and "head_dim" in table.reads


def made() -> dict[str, Any]:
    """The facts as they should be."""
    rows = declared()
    floats = [key for key, of in rows.items() if any("float" in types for types, _ in of)]
    strings = {key: {d for _, d in of if isinstance(d, str)} for key, of in rows.items()}
    return {
        "transformers": transformers.__version__,
        "activations": sorted(ACT2FN),
        "activation_keys": sorted(
            key for key, defaults in strings.items() if defaults and defaults <= set(ACT2FN) and key != "scoring_func"
        ),
        "quantization_methods": sorted(method.value for method in QuantizationMethod),
        "attention_layer_types": list(ALLOWED_ATTN_LAYER_TYPES),
        "mlp_layer_types": list(ALLOWED_MLP_LAYER_TYPES),
        "older_layer_types": dict(_LEGACY_LAYER_TYPE_REMAP),
        "dropouts": sorted(key for key in floats if "drop" in key),
        "epsilons": sorted(
            key for key in floats if (key.endswith(("eps", "epsilon")) and "norm" in key) or key in ("eps", "mixer_rms_eps")
        ),
        "null_head_dim_refused": sorted(t for t in known_types() if refuses_null_head_dim(t)),
        "uneven_heads_refused": sorted(t for t in known_types() if refuses_uneven_heads(t)),
    }


def main() -> int:
    """Write or check; the exit code."""
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in made().items())
    text = f"{{\n{lines}\n}}\n"
    if "--check" in sys.argv:
        return int(not OUT.exists() or OUT.read_text() != text)
    OUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
