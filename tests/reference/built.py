"""The tensors of a model as transformers builds it: names, shapes, ties and what `save_pretrained` would write, without weights."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
import transformers
from transformers import AutoConfig
from transformers.core_model_loading import revert_weight_conversion
from transformers.modeling_utils import remove_tied_weights_from_state_dict

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

Shapes = dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Built:
    """Facts of one build.

    `parameters` maps every name to its shape, tied ones included; `tied` groups names of one tensor; `buffers` are the persistent ones;
    `unique` counts the elements of all parameters once; `saved` is what a checkpoint holds, buffers included.
    """

    parameters: Shapes
    tied: list[set[str]]
    buffers: Shapes
    unique: int
    saved: Shapes


def loaded_config(data: dict[str, Any]) -> Any:
    """The config object that a loader makes of a config.json with this content."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_text(json.dumps(data))
        return AutoConfig.from_pretrained(folder)


def instance(data: dict[str, Any], *, device: str = "meta") -> Any:
    """The model that `architectures[0]` names, eager in attention and experts. Raises whatever transformers raises."""
    config = loaded_config(data)
    cls = getattr(transformers, data["architectures"][0])
    wanted = cls.config_class
    if not isinstance(config, wanted):
        inner = config.sub_configs.get("text_config")
        if inner is not None and issubclass(inner, wanted):  # as AutoModel.from_config does for the language model of a composite config
            config = config.get_text_config()
        elif config.model_type != data["model_type"]:  # the loader takes it for another type: mistral with layer_types is a ministral
            cls = getattr(
                transformers, cls.__name__.replace(wanted.__name__.removesuffix("Config"), type(config).__name__.removesuffix("Config"))
            )
    torch.manual_seed(7)
    with torch.device(device):
        model = cls._from_config(config, attn_implementation="eager", experts_implementation="eager")
    return model.eval()


def built(data: dict[str, Any]) -> Built:
    """The facts of a config's model. Raises whatever transformers raises."""
    return facts(instance(data))


def facts(model: Any) -> Built:
    """The facts of a model that was built."""
    groups: dict[int, list[str]] = {}
    shapes: Shapes = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        groups.setdefault(id(parameter), []).append(name)
        shapes[name] = tuple(parameter.shape)
    state = model.state_dict()
    buffers = {name: tuple(tensor.shape) for name, tensor in model.named_buffers() if name in state and name not in shapes}
    return Built(
        parameters=shapes,
        tied=[set(names) for names in groups.values() if len(names) > 1],
        buffers=buffers,
        unique=sum(parameter.numel() for parameter in model.parameters()),
        saved=saved(model, state),
    )


def saved(model: Any, state: dict[str, Any]) -> Shapes:
    """Names and shapes of the file that `save_pretrained` writes: ignored keys dropped, ties resolved, conversions reverted."""
    for name in model._keys_to_ignore_on_save or ():
        state.pop(name, None)
    kept = remove_tied_weights_from_state_dict(state, model)
    return {name: tuple(tensor.shape) for name, tensor in revert_weight_conversion(model, kept).items()}
