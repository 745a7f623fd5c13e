"""What a budget is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..problems import Usage
from .cache import ENGINES
from .dtypes import WIDTHS, full_name

if TYPE_CHECKING:
    from ..devices import Device

RECOMPUTATION = ("none", "selective", "full")
PACKED = "fp8_ds_mla"
"""A cache dtype that is a layout of vLLM's latents."""
SHARED = ("logical", "vllm")
"""Engines in whose terms the cache of one tensor parallel rank is counted."""
APART = ("logical", "llama.cpp")
"""Engines whose cache can have one dtype for keys and another for values (`--cache-type-k` and `--cache-type-v` of llama.cpp)."""


class Options(NamedTuple):
    """What a budget is asked for. Null: the default.

    `batch` sequences; `context` tokens each; `dtype` and `cache_dtype` in any spelling; `engine` in whose terms the cache is counted;
    `tensor_parallel`: ranks that share the heads, in logical terms and vLLM's (default: deploy.tensor_parallel).
    `source` the encoder's tokens. `block_size` to `rollbacks`: settings of engines (`engines.Ask`). `training`: the optimizer, `recompute`:
    which activations are computed again. `conventions`: published ways to count FLOPs. `tokens_per_second`: measured, on all `devices`
    devices of the kind `device` (an id of `xfcheck devices`, or of the YAML file `devices_file`). `memory_utilisation`: the share of the
    device's memory that may be used. `formulas`: each number with its formula.
    """

    batch: int = 1
    context: int | None = None
    dtype: str | None = None
    cache_dtype: str | None = None
    engine: str = "logical"
    source: int | None = None
    block_size: int = 16
    max_batched_tokens: int = 8192
    hybrid: bool = True
    state_dtype: str = "float32"
    ubatch: int = 512
    unified: bool = True
    absorbed: bool = True
    rollbacks: int = 0
    tensor_parallel: int | None = None
    training: str | None = None
    recompute: str = "selective"
    conventions: tuple[str, ...] = ()
    tokens_per_second: float | None = None
    device: str | None = None
    devices: int = 1
    devices_file: str | None = None
    memory_utilisation: float = 1.0
    formulas: bool = False

    def check(self) -> None:
        """Raises Usage for a name that is not known, and for a file of devices that cannot be read."""
        _one_of("engine", self.engine, tuple(ENGINES))
        _one_of("recomputation", self.recompute, RECOMPUTATION)
        for name in (self.dtype, self.state_dtype):
            if name is not None:
                known_dtype(name)
        if (self.tensor_parallel or 1) > 1 and self.engine not in SHARED:
            raise Usage(f"the cache of one of several ranks is known in the terms of {' and '.join(SHARED)}")
        if self.cache_dtype is not None:
            known_cache_dtype(self.cache_dtype, self.engine)
        if self.training is not None:
            from .training import OPTIMIZERS

            _one_of("optimizer", self.training, OPTIMIZERS)
        if self.conventions:
            from .conventions import CONVENTIONS

            for name in self.conventions:
                _one_of("convention", name, (*CONVENTIONS, "all"))
        if self.devices_file is not None:
            from ..devices import devices

            devices(self.devices_file)
        if self.device is not None:
            self.accelerator(self.device)
        if self.tokens_per_second is not None and not self.tokens_per_second > 0:
            raise Usage("--tokens-per-second is a number above 0")
        if not 0 < self.memory_utilisation <= 1:
            raise Usage("--memory-utilisation is a share above 0 and at most 1")

    def accelerator(self, name: str) -> Device:
        """The device of that id. Raises Usage for an unknown one."""
        from ..devices import find

        return find(name, self.devices_file)


def known_dtype(name: str) -> str:
    """The dtype in torch's spelling. Raises Usage for an unknown one."""
    found = full_name(name)
    if found is None:
        raise Usage(f"unknown dtype {name!r}; one of bf16, fp16, fp32, fp8, {', '.join(WIDTHS)}")
    return found


def known_cache_dtype(name: str, engine: str) -> str:
    """The same for a cache: `fp8_ds_mla` in vLLM, keys and values apart (`q8_0/q4_0`) in llama.cpp and logically."""
    if name == PACKED and engine == "vllm":
        return name
    keys, slash, values = name.partition("/")
    if slash and engine not in APART:
        raise Usage(f"{engine} keeps keys and values in one dtype; {name!r} is for {' and '.join(APART)}")
    return known_dtype(keys) if not slash or known_dtype(keys) == known_dtype(values) else f"{known_dtype(keys)}/{known_dtype(values)}"


def _one_of(what: str, name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        raise Usage(f"unknown {what} {name!r}; one of {', '.join(known)}")
