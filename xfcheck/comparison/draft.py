"""A config that is being varied: its value, what it is read as, and what is beside it."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..documents.document import Document, resolve
from ..documents.folder import SETTINGS_FILE, SIDE_FILES, ModelFolder
from ..families import _native
from ..model import load
from ..problems import Refused
from .description import described, says_all

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..accounting.budget import Options
    from ..architecture.model import Architecture
    from ..model import Model

CARRIED = (SETTINGS_FILE, *(name for name in SIDE_FILES if name != "adapter_config.json"))
"""Files that stay beside a varied config. A checkpoint does not: it holds the tensors of the config as it was."""


class VariedFolder(ModelFolder):
    """A config with another value than its file has, and the files beside that still fit."""

    def __init__(self, origin: ModelFolder, data: dict[str, Any]) -> None:
        path = origin.path if origin.config is None else origin.config.path
        super().__init__(origin.path, None, Document(path, "json", json.dumps(data, indent=2, ensure_ascii=False), data))
        self.origin = origin

    def side(self, name: str) -> Document | None:
        """The file of this name beside the original, where it fits the varied config too."""
        return self.origin.side(name) if name in CARRIED else None

    def _load_settings(self) -> Any:
        return self.origin._load_settings()

    def beside(self) -> list[str]:
        """Names of what stays beside it."""
        return [name for name in self.origin.beside() if name in CARRIED]


@dataclass(frozen=True)
class Draft:
    """A config on its way to a variant.

    `model` is what it is read as, `options` what the budget is asked for. `described`: the architecture was edited where the config's keys
    cannot say it, so that the value is a model description. `settled` notes what was solved for (`d_ff`).
    """

    model: Model
    options: Options
    described: bool = False
    settled: tuple[tuple[str, int], ...] = ()

    @property
    def data(self) -> dict[str, Any]:
        """The config's value."""
        config = self.model.folder.config
        return {} if config is None or config.data is None else config.data

    @property
    def native(self) -> bool:
        """Whether the value is a model description, from the start or since an edit."""
        return _native.describes(self.data)

    def with_data(self, data: dict[str, Any]) -> Draft:
        """The draft with another config. Raises Refused where no model is made of it."""
        folder = self.model.folder
        origin = folder.origin if isinstance(folder, VariedFolder) else folder
        return replace(self, model=load(VariedFolder(origin, data)))

    def with_keys(self, pointer: str, keys: Mapping[str, Any]) -> Draft:
        """The draft with keys of one object of its config set; `a/b` is key b of the object at a, and `ABSENT` takes a key away.

        Raises Refused.
        """
        data = copy.deepcopy(self.data)
        for key, value in keys.items():
            *outer, last = key.split("/")
            holder = resolve(data, pointer)
            for name in outer:
                holder = holder.setdefault(name, {})
            if value is ABSENT:
                holder.pop(last, None)
            else:
                holder[last] = value
        return self.with_data(data)

    def with_architecture(self, a: Architecture) -> Draft:
        """The draft as a description of another architecture.

        Raises Refused where a description does not say all of the model, or makes none.
        """
        if not self.described and not self.native and not says_all(self.model):
            what = f"{self.model.model_type} has weights that a model description does not say: only its config's own keys can be varied"
            raise Refused(what, code="usage")
        return self.with_description(described(a))

    def with_description(self, data: dict[str, Any]) -> Draft:
        """The draft as another model description. Raises Refused where it makes no model."""
        return replace(self.with_data(data), described=True)


ABSENT = object()
"""In place of a value: the key is taken away."""
