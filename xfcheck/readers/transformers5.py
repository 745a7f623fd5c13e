"""transformers 5: declared fields with their class defaults, older spellings moved, what the class derives.

Source: the class tables (transformers 5.24.0), configuration_utils.py, modeling_rope_utils.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..documents.document import escape
from ..families._classes import base_table
from .rope import rope5, rotary_class
from .value import Value, View, class_default, given

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..rules._context import Context, Scope
    from .rope import Rope

VERSION = "5.24.0"
MOVED = ("rope_scaling", "rope_parameters", "rope_theta", "rotary_emb_base", "partial_rotary_factor", "rotary_pct", "rope_local_base_freq")
"""Keys whose values are shown as `rope.*`."""
SHARED = ("architectures", "is_encoder_decoder")
DTYPES = ("dtype", "torch_dtype")


def view(context: Context) -> View:
    """The config as its class makes it up."""
    values: dict[str, Value] = {}
    unread: dict[str, str] = {}
    for scope in context.nested:
        start = prefix(scope)
        values.update({start + name: value for name, value in fields(scope)})
        values.update({start + name: value for name, value in ropes(rope5(scope))})
        if context.of_model(scope):
            values.update({start + name: value for name, value in derived(context, scope, values, start)})
        unread.update(left(scope))
    return View("transformers@5", VERSION, values, unread, refusal(context))


def refusal(context: Context) -> str | None:
    """Why the library does not load the file by itself."""
    if context.root.table is not None:
        return None
    kind = context.data.get("model_type")
    own = "; the model brings code of its own, which is not executed" if "auto_map" in context.data else ""
    return f"transformers {VERSION} has no model_type {kind!r}{own}"


def prefix(scope: Scope) -> str:
    """The beginning of the names of a nested config's values."""
    return scope.pointer.strip("/").replace("/", ".") + "." if scope.pointer else ""


def fields(scope: Scope, default: Callable[[str], Value | None] | None = None) -> Iterator[tuple[str, Value]]:
    """(name, value) of each declared field; of every key where there is no class. `default` gives the class's value of a key."""
    if scope.table is None:
        for key, value in scope.data.items():
            if not isinstance(value, dict):
                yield key, Value(value, "file", key, f"{scope.pointer}/{escape(key)}")
        return
    kind = given(scope, "model_type")
    yield "model_type", kind or Value(scope.table.model_type, "derived", "the holder's class")
    dtype = next((found for key in DTYPES if (found := given(scope, key)) is not None and found.value is not None), None)
    if dtype is not None:
        yield "dtype", dtype
    for key in SHARED:
        found = given(scope, key)
        if found is not None and key not in scope.table.fields:
            yield key, found
    for key in scope.table.fields:
        if key in scope.table.sub_configs or key in MOVED or key in DTYPES:
            continue
        value = given(scope, key) or (class_default(scope, scope.table.default(key)) if default is None else default(key))
        if value is not None:
            yield key, value


def ropes(found: list[Rope]) -> Iterator[tuple[str, Value]]:
    """(name, value) of each key of each rotary block."""
    for rope in found:
        start = f"rope.{rope.layers}." if rope.layers else "rope."
        for key, value in rope.values.items():
            yield start + key, value


def derived(context: Context, scope: Scope, values: dict[str, Value], start: str) -> Iterator[tuple[str, Value]]:
    """Widths and layers that the class works out: head width, key-value heads, and which layers have which window."""
    mixers = [(m, block) for stack in context.stacks for block in stack.blocks for sub in block.sublayers for m in sub.mixers]
    for key, names, how in (
        ("head_dim", ("head_dim",), "hidden_size / num_attention_heads"),
        ("num_key_value_heads", ("kv_heads",), "num_attention_heads"),
    ):
        written = values.get(start + key)
        found = {n for m, _ in mixers if (n := getattr(m, names[0], None)) is not None}
        if len(found) == 1 and written is not None and written.value is None:
            yield key, Value(found.pop(), "derived", how, scope.at(how.split(" ")[0]))
    seen: dict[str, list[str]] = {}
    for mixer, block in mixers:
        mask = getattr(mixer, "mask", None)
        if mask is not None:
            name = mask.kind if mask.window is None else f"{mask.kind} {mask.window}"
            held = seen.setdefault(name, [])
            if str(block.layers) not in held:
                held.append(str(block.layers))
    source = next((key for key in ("layer_types", "sliding_window", "max_window_layers") if scope.has(key)), None)
    for name, layers in seen.items() if len(seen) > 1 or not {"causal", "bidirectional"} & set(seen) else ():
        pointer = scope.at(source) if source else None
        yield f"layers.{name}", Value(",".join(layers), "derived", source or "class code", pointer)


def left(scope: Scope) -> Iterator[tuple[str, str]]:
    """(pointer, why) of each key of the file that the class does not take."""
    if scope.table is None:
        return
    ignored = ("transformers_version", "_name_or_path", "auto_map", "quantization_config", "model_type")
    for key in scope.data:
        at = f"{scope.pointer}/{escape(key)}"
        winner = scope.found(scope.table.canonical(key))
        if key in DTYPES and key != next((k for k in DTYPES if k in scope.data), key):
            yield at, "dtype wins"
        elif key == "rope_parameters" and scope.data.get("rope_scaling"):
            yield at, "rope_scaling replaces it"
        elif key in MOVED and not rotary_class(scope):
            yield at, f"{scope.table.class_name} has no rotary positions"
        elif winner not in (None, key) and scope.table.canonical(key) == scope.table.canonical(str(winner)):
            yield at, f"{winner} wins"
        elif not scope.table.accepts(key) and key not in ignored and key not in base_table().library_reads:
            yield at, f"not read by {scope.table.class_name}"
        elif key in scope.table.unread:
            yield at, f"declared by {scope.table.class_name} and read by no code"
