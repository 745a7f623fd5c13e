"""Rotary positions as transformers reads them off a config: version 5's block, and what version 4 knows.

Source: transformers 5.24.0, modeling_rope_utils.py (`convert_rope_params_to_dict`, `standardize_rope_params`) and the configuration modules
that have their own; transformers 4.57.3, the same file and the initialisers of its classes.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..documents.document import escape
from .value import Value, class_default, given

if TYPE_CHECKING:
    from ..families._read.settings import Settings

BASES = ("rope_theta", "rotary_emb_base")
"""Keys of a rotary base outside the block, in transformers 4."""
SHARES = ("partial_rotary_factor", "rotary_pct")
GLOBAL = ("rope_theta", "global_rope_theta")
LOCAL = ("rope_local_base_freq", "local_rope_theta")
SCALED = ("llama3", "yarn", "longrope")
"""Types whose original length is filled in where the block has none."""
PAIR = ("su", "yarn")
"""Older names of longrope in Phi-3's classes."""


STRETCHED = ("linear", "dynamic", "yarn")
"""Scalings whose factor is a ratio of lengths; llama3 and longrope declare their maximum themselves."""


def reached(kind: str | None, factor: float | None, original: int | None, declared: int) -> int:
    """Tokens that rotary positions reach: the declared maximum, or the original length (else the maximum) times the factor."""
    if kind not in STRETCHED or factor is None or not 1 <= factor < 10**6:
        return declared
    return max(declared, int((original or declared) * factor))


class Rope(NamedTuple):
    """The rotary block of one kind of layer (null: of all). `values`: `theta`, `type`, and the rest of the block under its own keys."""

    layers: str | None
    values: dict[str, Value]

    def plain(self, *names: str) -> tuple[Any, ...]:
        """The bare values, null for those that there are none of."""
        return tuple(self.values[name].value if name in self.values else None for name in names)


@functools.cache
def version4() -> dict[str, Any]:
    """Types and differing class defaults of transformers 4, from the generated `_transformers4.json` (scripts/reader_facts.py)."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("_transformers4.json").read_bytes())
    return found


@functools.cache
def version5() -> dict[str, Any]:
    """Rotary blocks that classes of transformers 5 make of no file, from the generated `_transformers5.json` (scripts/rope_facts.py)."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("_transformers5.json").read_bytes())
    return found


def rotary_class(scope: Settings) -> bool:
    """Whether the class has rotary positions."""
    return scope.table is not None and "rope_parameters" in scope.table.fields


def block_of(scope: Settings, *keys: str) -> tuple[dict[str, Any], str]:
    """The first of the keys whose value is an object with something in it, and its pointer; an empty object where there is none."""
    for key in keys:
        value = scope.data.get(key)
        if isinstance(value, dict) and value:
            return value, f"{scope.pointer}/{key}"
    return {}, f"{scope.pointer}/{keys[-1]}"


def rope5(scope: Settings) -> list[Rope]:
    """The blocks as transformers 5 makes them up: `rope_scaling` beats `rope_parameters`, a base outside counts where they have none."""
    if not rotary_class(scope) or scope.table is None:
        return []
    default, own = scope.table.default_theta, version5()["types"].get(scope.table.model_type, {})
    if own.get("scaled") or isinstance(default, dict):
        return [_of_kind(scope, kind, own) for kind in own["block"]]
    block, at = block_of(scope, "rope_scaling", "rope_parameters")
    if not block and own:
        return _defaulted(scope, own)
    inner = {key: value for key, value in block.items() if isinstance(value, dict)}
    if inner:
        return [Rope(kind, _standard(scope, value, f"{at}/{escape(kind)}", default)) for kind, value in inner.items()]
    return [Rope(None, _standard(scope, block, at, default))]


def _defaulted(scope: Settings, own: dict[str, Any]) -> list[Rope]:
    """A class's own block, flat or one a kind of layer, with the file's base where the class takes it."""
    outside, share = _first(scope, _bases(scope)), _first(scope, SHARES)
    inner = {kind: block for kind, block in own["block"].items() if isinstance(block, dict)}
    out = []
    for kind, block in inner.items() or [(None, own["block"])]:
        values = {key: class_default(scope, value) for key, value in block.items()}
        values = {"theta": values.pop("rope_theta", class_default(scope, None)), "type": values.pop("rope_type"), **values}
        obeys = kind in own["base"] if isinstance(own["base"], list) else own["base"]
        if outside is not None and obeys:
            values["theta"] = outside
        if share is not None and not inner:
            values["partial_rotary_factor"] = share
        out.append(Rope(kind, values))
    return out


def _bases(scope: Settings) -> tuple[str, ...]:
    """The keys outside the block in which the class looks for a base."""
    own = scope.table is not None and "rotary_emb_base" in scope.table.kwargs
    return ("rotary_emb_base",) if own else ("rope_theta",)


def _standard(scope: Settings, block: dict[str, Any], at: str, default: Any) -> dict[str, Value]:
    """A flat block with everything that the class fills in."""
    values = {key: Value(value, "file", f"{at.rpartition('/')[2]}.{key}", f"{at}/{escape(key)}") for key, value in block.items()}
    own = {} if scope.table is None else version5()["types"].get(scope.table.model_type, {})
    plain = own.get("block", {})
    old = values.pop("type", None)
    kind = values.pop("rope_type", None) or old or class_default(scope, "default")
    if kind.value == "default" and plain.get("rope_type") == "axial":
        kind = class_default(scope, "axial")
    left = own.get("bare", default)
    base = (
        values.pop("rope_theta", None) or (_first(scope, _bases(scope)) if own.get("fills", True) else None) or class_default(scope, left)
    )
    share = values.pop("partial_rotary_factor", None) or _first(scope, SHARES)
    if share is None and plain.get("partial_rotary_factor") is not None:
        share = class_default(scope, plain["partial_rotary_factor"])
    out = {
        "theta": base,
        "type": _renamed(scope, kind, values),
        **({"partial_rotary_factor": share} if share is not None else {}),
        **values,
    }
    if out["type"].value in SCALED:
        _original(scope, out)
    return out


def _renamed(scope: Settings, kind: Value, block: dict[str, Value]) -> Value:
    """The type's present name, where the class renames an older one."""
    name = "" if scope.table is None else scope.table.model_type
    if name in ("phi3", "phi4_multimodal") and kind.value in PAIR:
        return Value("longrope", "derived", f"{kind.value} in the file", kind.pointer)
    if kind.value == "mrope" and "mrope_section" in block and name in ("qwen2_vl_text", "qwen2_5_vl_text"):
        return Value("default", "derived", "mrope in the file", kind.pointer)
    return kind


def _original(scope: Settings, values: dict[str, Value]) -> None:
    """The original length: a class that declares the key obeys its own, the others fill in the present maximum where the block has none."""
    key = "original_max_position_embeddings"
    if scope.table is not None and scope.table.declares(key):
        values[key] = given(scope, key) or class_default(scope, scope.table.default(key))
    elif key not in values:
        length = scope.raw("max_position_embeddings", noted=False)
        values[key] = Value(length, "derived", "max_position_embeddings", scope.at("max_position_embeddings"))


def _of_kind(scope: Settings, kind: str, own: dict[str, Any]) -> Rope:
    """The block of a kind of layer in a class that always has one for each: `rope_scaling` holds for the kinds that it reaches."""
    block = scope.data.get("rope_parameters")
    at = f"{scope.pointer}/rope_parameters"
    inner = block.get(kind) if isinstance(block, dict) else None
    held: dict[str, Value] = {}
    if isinstance(inner, dict):
        held = {key: Value(v, "file", f"{kind}.{key}", f"{at}/{kind}/{escape(key)}") for key, v in inner.items()}
    scaling = scope.data.get("rope_scaling")
    nested = scaling.get(kind) if isinstance(scaling, dict) else None
    if isinstance(scaling, dict) and (kind in own["scaled"] or isinstance(nested, dict)):
        flat = nested if isinstance(nested, dict) else scaling
        where = f"{scope.pointer}/rope_scaling" + (f"/{kind}" if flat is nested else "")
        held.update(
            {key: Value(v, "file", f"rope_scaling.{key}", f"{where}/{escape(key)}") for key, v in flat.items() if not isinstance(v, dict)}
        )
    old = held.pop("type", None)
    plain = {key: class_default(scope, value) for key, value in (own["block"][kind] or {}).items()}
    names = _dual(scope, GLOBAL if kind == "full_attention" else LOCAL if kind == "sliding_attention" else ("rope_theta",))
    obeys = names != ("rope_theta",) or not isinstance(own["base"], list) or kind in own["base"]
    base = held.pop("rope_theta", None) or (_first(scope, names) if obeys else None) or plain.pop("rope_theta", class_default(scope, None))
    plain.pop("rope_theta", None)
    usual = plain.pop("rope_type", class_default(scope, "default"))
    values = {"theta": base, "type": held.pop("rope_type", None) or (old if own["old_name"] else None) or usual, **plain, **held}
    if values["type"].value in SCALED:
        _original(scope, values)
    return Rope(kind, values)


def _dual(scope: Settings, keys: tuple[str, ...]) -> tuple[str, ...]:
    """Of two names of a base those that the class looks up: an own name replaces the usual one."""
    own = [
        key for key in keys if scope.table is not None and (key in scope.table.kwargs or key in scope.table.fields) and key != "rope_theta"
    ]
    return tuple(own) or keys


def rope4(scope: Settings) -> list[Rope]:
    """The blocks as transformers 4 reads them: `rope_theta` and `rope_scaling` alone; nothing for a type that it does not have."""
    facts = version4()
    if scope.table is None or scope.table.model_type not in facts["types"] or not rotary_class(scope):
        return []
    defaults = facts["types"][scope.table.model_type]["defaults"]
    said = f"{scope.table.class_name}, transformers {facts['transformers']}"

    def default(*keys: str) -> Value | None:
        key = next((k for k in keys if k in defaults), None)
        return None if key is None else Value(defaults[key], "class default", said)

    old_base = _first(scope, (*BASES, "global_rope_theta")) or default("rope_theta", "rotary_emb_base", "global_rope_theta")
    block, at = block_of(scope, "rope_scaling")
    values = {k: Value(v, "file", f"rope_scaling.{k}", f"{at}/{escape(k)}") for k, v in block.items()}
    if not block and isinstance(defaults.get("rope_scaling"), dict):
        values = {k: Value(v, "class default", said) for k, v in defaults["rope_scaling"].items()}
    old = values.pop("type", None)
    kind = values.pop("rope_type", None) or old or Value("default", "reader default", "no type given")
    share = _first(scope, SHARES) or default(*SHARES)
    base = old_base or Value(10000.0, "reader default", "no base given")
    whole = {"theta": base, "type": kind, **({"partial_rotary_factor": share} if share is not None else {}), **values}
    local = _first(scope, LOCAL) or default(*LOCAL)
    if local is None:
        return [Rope(None, whole)]
    sliding = {"theta": local, "type": Value("default", "reader default", "windowed layers are not scaled")}
    return [Rope("full_attention", whole), Rope("sliding_attention", sliding)]


def _first(scope: Settings, keys: tuple[str, ...]) -> Value | None:
    """The first of the keys that the file gives a value other than null."""
    for key in keys:
        found = given(scope, key)
        if found is not None and found.value is not None:
            return found
    return None
