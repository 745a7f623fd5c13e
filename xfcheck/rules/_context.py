"""What a rule may look at."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ..documents.document import escape
from ..families._classes import class_table
from ..families._read.entry import NESTED, published_type
from ..families._read.settings import Reading, Settings
from ..problems import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..architecture.blocks import Stack
    from ..architecture.mixers.attention import Attention
    from ..architecture.part import Mixer
    from ..documents.document import Document
    from ..documents.folder import ModelFolder
    from ..model import Model
    from ..recipes.recipe import Recipe

LANGUAGE = ("text", "encoder", "decoder", "both")
"""Streams of tokens of text."""


class Scope(Settings):
    """One object of a config that describes a model, under its class: `settings` that never raise.

    `whole`, `real`, `boolean`, `string` give the value in any accepted spelling, or the class default, and null for a value of another
    type.
    """

    __slots__ = ()

    def whole(self, key: str, *, default: bool = True) -> int | None:
        """A whole number (true and false are none), null where it is anything else or absent."""
        value = self.value(key, default=default)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def real(self, key: str, *, default: bool = True) -> float | None:
        """A number, null where it is anything else or absent."""
        value = self.value(key, default=default)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    def boolean(self, key: str, *, default: bool = True) -> bool | None:
        """A switch, null where it is anything else or absent."""
        value = self.value(key, default=default)
        return value if isinstance(value, bool) else None

    def string(self, key: str, *, default: bool = True) -> str | None:
        """A string, null where it is anything else or absent."""
        value = self.value(key, default=default)
        return value if isinstance(value, str) else None

    def value(self, key: str, *, default: bool = True) -> Any:
        """The value of whatever type; `default` false leaves the class default out."""
        name = self.found(key)
        if name is not None:
            return self.data[name]
        return self.table.default(key) if default and self.table is not None else None

    def rotary_blocks(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """(pointer, block) of each rotary block of the object, and of those that it holds for single kinds of layers."""
        for key in ("rope_scaling", "rope_parameters"):
            block = self.data.get(key)
            if isinstance(block, dict):
                yield f"{self.pointer}/{key}", block
                for kind, inner in block.items():
                    if isinstance(inner, dict):
                        yield f"{self.pointer}/{key}/{escape(kind)}", inner

    def defaulted(self, key: str) -> bool:
        """Whether the file leaves the key to its class, which has a value for it."""
        return not self.has(key) and self.table is not None and self.table.default(key) is not None

    @property
    def model_type(self) -> str:
        """The type of the class, or what the file says, or `?`."""
        if self.table is not None:
            return self.table.model_type
        given = self.data.get("model_type")
        return given if isinstance(given, str) else "?"


class Context:
    """A config with everything beside it.

    `scopes` are the objects of the config that describe a language model: the root, or the text configs of a composite. `root` is the whole
    config. `model` is the understood model, null where none can be built, `refused` then says why. Of a training
    recipe there is a `train` section and `recipe` alone: no config, no model, no files.
    """

    def __init__(self, folder: ModelFolder) -> None:
        self.folder = folder
        self.document: Document = folder.config  # type: ignore[assignment]
        self.recipe: Recipe | None = getattr(folder, "recipe", None)
        whole = self.recipe is None and isinstance(self.document.data, dict)
        self.data: dict[str, Any] = self.document.data if whole else {}
        self.root = Scope(self.data, class_table(published_type(self.data)), reading=Reading())
        self.refused: Refused | None = None

    @functools.cached_property
    def scopes(self) -> list[Scope]:
        """The language models described: the root where it is one, else its nested text configs, however deep."""
        return list(_language(self.root)) if self.recipe is None else []

    @functools.cached_property
    def nested(self) -> list[Scope]:
        """Every object that is a config of its own: the root and each sub-config at any depth, under its class where it is known."""
        return list(_configs(self.root))

    @functools.cached_property
    def model(self) -> Model | None:
        """The architecture and ledger of the config, null where `refused` says why there is none."""
        if self.recipe is not None:
            return None
        from ..model import understand

        try:
            return understand(self.data, self.folder)
        except Refused as refused:
            self.refused = refused
        except Exception:
            self.model = None  # the first rule that asks reports the crash, the others judge without a model
            raise
        return None

    def of_model(self, scope: Scope) -> bool:
        """Whether the language model was read from this object: of a composite that was read as a whole, its one text config."""
        return self.model is not None and scope.pointer == self._read_from(self.model)

    def scope_of(self, model: Model) -> Scope:
        """The object that a model of this config was read from (`of_model`); where it is none of the language models, the first of them."""
        pointer = self._read_from(model)
        return next((s for s in self.scopes if s.pointer == pointer), self.scopes[0] if self.scopes else self.root)

    def _read_from(self, model: Model) -> str:
        language, pointer = self.scopes, model.settings.pointer
        return language[0].pointer if len(language) == 1 and pointer == self.root.pointer else pointer

    @functools.cached_property
    def stacks(self) -> list[Stack]:
        """The stacks of the language model, those of a composite's pictures and sounds left out; none where no model can be built."""
        if self.model is None:
            return []
        found = self.model.architecture.stacks
        whole = self.scopes and self.model.settings.pointer == self.root.pointer != self.scopes[0].pointer
        return [s for s in found if s.stream in LANGUAGE] or list(found) if whole else list(found)

    @functools.cached_property
    def mixers(self) -> list[Mixer]:
        """Each mixer of each kind of layer of the language model; none where no model can be built."""
        return [m for stack in self.stacks for block in stack.blocks for sublayer in block.sublayers for m in sublayer.mixers]

    @functools.cached_property
    def attentions(self) -> list[tuple[int, Attention]]:
        """(width of the stream, attention) of each kind of softmax attention in the language model, once."""
        from ..architecture.mixers.attention import Attention

        found: list[tuple[int, Attention]] = []
        for stack in self.stacks:
            for mixer in (m for block in stack.blocks for sublayer in block.sublayers for m in sublayer.mixers):
                if isinstance(mixer, Attention) and (stack.hidden_size, mixer) not in found:
                    found.append((stack.hidden_size, mixer))
        return found

    def side(self, name: str) -> Any:
        """The value of a side file, null where it is absent or unreadable."""
        document = self.folder.side(name)
        return None if document is None else document.data

    @property
    def deploy(self) -> Any:
        """The `deploy` section of xfcheck.yaml; every key null where it is not given."""
        return self.folder.xfcheck.deploy or NOTHING

    @property
    def train(self) -> Any:
        """The `train` section of xfcheck.yaml; every key null where it is not given."""
        return self.folder.xfcheck.train or NOTHING

    @property
    def kernel(self) -> Any:
        """The `kernel` section of xfcheck.yaml; every key null where it is not given."""
        return self.folder.xfcheck.kernel or NOTHING


def _child(scope: Scope, key: str) -> Scope:
    """The sub-config at a key: under the class of its own model_type, else under the class that its holder gives it.

    A part may carry the name of the whole (the vision_config of Qwen3-VL says qwen3_vl): then too the holder says what it is.
    """
    value, subs = scope.data[key], {} if scope.table is None else scope.table.sub_configs
    named = class_table(value.get("model_type"))
    table = class_table(subs.get(key)) or named if named is None or named is scope.table else named
    return Scope(value, table, pointer=f"{scope.pointer}/{escape(key)}", reading=Reading())


def _language(scope: Scope) -> Iterator[Scope]:
    inner = [key for key in NESTED if isinstance(scope.data.get(key), dict)]
    for key in inner:
        yield from _language(_child(scope, key))
    if not inner:
        subs = {} if scope.table is None else scope.table.sub_configs
        text = next((subs[key] for key in NESTED if key in subs), None)
        # an older, flat spelling of a composite config (qwen2_vl) has the text model's keys at its root
        flat = text is not None and "hidden_size" in scope.data and scope.table is not None and scope.table.accepts("hidden_size")
        yield Scope(scope.data, class_table(text), pointer=scope.pointer, reading=Reading()) if flat else scope


def _configs(scope: Scope) -> Iterator[Scope]:
    yield scope
    subs = {} if scope.table is None else scope.table.sub_configs
    for key, value in scope.data.items():
        if isinstance(value, dict) and (key in subs or (key.endswith("_config") and isinstance(value.get("model_type"), str))):
            yield from _configs(_child(scope, key))


class _Nothing:
    """A section that is not there."""

    def __getattr__(self, name: str) -> None:
        return None

    def __bool__(self) -> bool:
        return False


NOTHING = _Nothing()
