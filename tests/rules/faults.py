"""Faults to put into a small config of any type: one value changed so that no model is meant by it."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from xfcheck.families._classes import class_table
from xfcheck.families._read.entry import NESTED
from xfcheck.rules._names import DIMENSIONS, declared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xfcheck.families._classes import ClassTable

Config = dict[str, Any]


class Part:
    """The object of a config that describes its language model, under its class."""

    def __init__(self, config: Config) -> None:
        self.whole = copy.deepcopy(config)
        self.data, self.table = self.whole, class_table(config["model_type"])
        inner = next((key for key in NESTED if isinstance(self.data.get(key), dict)), None)
        while inner is not None and self.table is not None:
            held = self.table.sub_configs.get(inner)
            self.data = self.data[inner]
            self.table = class_table(self.data.get("model_type")) or class_table(held)
            inner = next((key for key in NESTED if isinstance(self.data.get(key), dict)), None)

    def key(self, dimension: str) -> str | None:
        """The class's own key of a dimension, null where it has none."""
        names = [] if self.table is None else declared(self.table, dimension)
        # a decoder's language model has no encoder
        return next((name for name in names if name.startswith("decoder_")), names[0] if names else None)

    def value(self, key: str) -> Any:
        """The value written, else the class default."""
        table: ClassTable | None = self.table
        return self.data.get(key, None if table is None else table.default(key))

    def has(self, key: str) -> bool:
        """Whether the class declares the key under just this name."""
        return self.table is not None and key in self.table.fields


def quotient(part: Part) -> bool:
    """Whether the class takes hidden / heads for the width of a head."""
    widths = ("head_dim", "latent")
    own = [
        name for dimension in widths for name in DIMENSIONS[dimension].names if part.table is not None and isinstance(part.value(name), int)
    ]
    return part.key("heads") is not None and not own


def turned(part: Part) -> bool:
    """Whether the class turns its whole heads, which have a width of their own."""
    whole = part.has("rope_parameters") and not part.value("kv_lora_rank")
    return whole and not any(part.value(key) for key in ("partial_rotary_factor", "rotary_pct", "rotary_dim"))


def where(condition: Callable[[Part], bool], change: Callable[[Part], bool]) -> Callable[[Part], bool]:
    """The change where the condition holds."""
    return lambda part: condition(part) and change(part)


def sized(dimension: str, value: Any) -> Callable[[Part], bool]:
    """Set a dimension; `value` may be a function of the present one."""

    def change(part: Part) -> bool:
        key = part.key(dimension)
        now = None if key is None else part.value(key)
        if key is None or not isinstance(now, int) or isinstance(now, bool) or now < 1:
            return False
        part.data[key] = value(now) if callable(value) else value
        return True

    return change


def keyed(key: str, value: Any, *, unless_null: bool = True) -> Callable[[Part], bool]:
    """Set a key that the class declares and has a value for."""

    def change(part: Part) -> bool:
        if not part.has(key) or (unless_null and part.value(key) is None):
            return False
        part.data[key] = value(part) if callable(value) else value
        return True

    return change


def kv(value: Callable[[int], int]) -> Callable[[Part], bool]:
    """Set the key-value heads by the query heads."""

    def change(part: Part) -> bool:
        heads, own = part.key("heads"), part.key("kv_heads")
        if heads is None or own is None or not isinstance(part.value(heads), int):
            return False
        part.data[own] = value(part.value(heads))
        return True

    return change


def missing(dimension: str) -> Callable[[Part], bool]:
    """Take a dimension away that the class then fills in."""

    def change(part: Part) -> bool:
        key = part.key(dimension)
        if (
            part.data is not part.whole
            or part.table is None
            or key is None
            or key not in part.data
            or not isinstance(part.table.default(key), int)
        ):
            return False
        for name in DIMENSIONS[dimension].names:
            part.data.pop(name, None)
        return True

    return change


def rope(block: Config) -> Callable[[Part], bool]:
    """Set the rotary block of a class that has one."""

    def change(part: Part) -> bool:
        if part.table is None or part.table.default_theta is None or "rope_parameters" not in part.table.fields:
            return False
        part.data.pop("rope_parameters", None)
        part.data["rope_scaling"] = block
        return True

    return change


def theta(value: Any) -> Callable[[Part], bool]:
    """Set the rotary base of a class that has one."""

    def change(part: Part) -> bool:
        if part.table is None or part.table.default_theta is None or "rope_parameters" not in part.table.fields:
            return False
        part.data.pop("rope_parameters", None)
        part.data["rope_theta"] = value
        return True

    return change


def misspelt(dimension: str, wrong: str) -> Callable[[Part], bool]:
    """Write a key with a wrong letter."""

    def change(part: Part) -> bool:
        key = part.key(dimension)
        if key is None or key not in part.data or len(key) < 8:
            return False
        part.data[key[:3] + wrong + key[3:]] = part.data.pop(key)
        return True

    return change


def listed(change_length: int) -> Callable[[Part], bool]:
    """Write a list of layers that is longer or shorter than the depth."""

    def change(part: Part) -> bool:
        depth = part.key("depth")
        kinds = part.data.get("layer_types")
        if depth is None or not isinstance(kinds, list) or not isinstance(part.value(depth), int):
            return False
        part.data["layer_types"] = (kinds + kinds)[: part.value(depth) + change_length]
        return True

    return change


FAULTS: dict[str, Callable[[Part], bool]] = {
    "hidden size of 0": sized("width", 0),
    "no layers": sized("depth", 0),
    "no heads": sized("heads", 0),
    "no vocabulary": sized("vocabulary", 0),
    "feed-forward width of 0": sized("feed_forward", 0),
    "negative hidden size": sized("width", -48),
    "hidden size as text": sized("width", str),
    "hidden size with a fraction": sized("width", lambda n: n + 0.5),
    "depth as text": sized("depth", str),
    "vocabulary as a list": sized("vocabulary", lambda n: [n]),
    "heads that divide nothing": where(quotient, sized("heads", 7)),
    "one column too many": where(quotient, sized("width", lambda n: n + 1)),
    "key-value heads that do not divide": kv(lambda heads: heads - 1),
    "more key-value heads than heads": kv(lambda heads: 2 * heads),
    "odd head width": where(turned, sized("head_dim", lambda n: n - 1 if n % 2 == 0 else n)),
    "hidden size missing": missing("width"),
    "depth missing": missing("depth"),
    "vocabulary missing": missing("vocabulary"),
    "hidden size misspelt": misspelt("width", "x"),
    "depth misspelt": misspelt("depth", "x"),
    "no experts": sized("experts", 0),
    "more experts a token than there are": sized("experts_per_token", 9999),
    "no expert a token": sized("experts_per_token", 0),
    "groups that do not divide": where(
        lambda part: (part.value(part.key("experts") or "") or 0) % 3 != 0,
        lambda part: keyed("n_group", 3)(part) and keyed("topk_group", 1)(part),
    ),
    "more groups chosen than there are": lambda part: keyed("topk_group", 9)(part) and keyed("n_group", 2)(part),
    "dense layers beyond the depth": keyed("first_k_dense_replace", 99),
    "query rank of 0": keyed("q_lora_rank", 0),
    "latent rank of 0": keyed("kv_lora_rank", 0),
    "unknown activation": keyed("hidden_act", "sillu"),
    "unknown activation function": keyed("activation_function", "geluu"),
    "unknown rotary type": rope({"rope_type": "yarnn", "factor": 2.0}),
    "yarn without a factor": rope({"rope_type": "yarn"}),
    "rotary base as text": theta("10000"),
    "negative rotary base": theta(-1.0),
    "window of 0": keyed("sliding_window", 0),
    "negative window": keyed("sliding_window", -5),
    "one layer more than listed": listed(-1),
    "one layer less than listed": listed(1),
    "padding id beyond the vocabulary": keyed("pad_token_id", lambda part: part.value("vocab_size"), unless_null=False),
    "negative padding id": keyed("pad_token_id", -1, unless_null=False),
    "end id beyond the vocabulary": keyed("eos_token_id", lambda part: part.value("vocab_size"), unless_null=False),
    "negative length": keyed("max_position_embeddings", -5),
    "unknown dtype": lambda part: part.whole.update(dtype="float17") is None,
    "epsilon of 1": keyed("rms_norm_eps", 1.0),
    "epsilon as a whole number": keyed("rms_norm_eps", 1),
    "epsilon as text": keyed("rms_norm_eps", "1e-5"),
    "negative epsilon": keyed("layer_norm_eps", -1e-5),
    "dropout above 1": keyed("attention_dropout", 1.5),
    "soft cap of 0": keyed("final_logit_softcapping", 0.0),
    "negative soft cap": keyed("attn_logit_softcapping", -1.0),
    "tie flag as text": keyed("tie_word_embeddings", "true"),
    "switch as a number": keyed("attention_bias", 1),
    "class of another type": lambda part: part.whole.update(architectures=["PatchTSTForPrediction"]) is None,
}  # fmt: skip


def faulty(config: Config) -> Iterator[tuple[str, Config]]:
    """(what is wrong, the config) of every fault that applies."""
    for name, change in FAULTS.items():
        part = Part(config)
        if change(part):
            yield name, part.whole
