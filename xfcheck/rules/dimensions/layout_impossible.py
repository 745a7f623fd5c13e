"""A parallel layout that the ranks or the layers do not carry.

## What it does
Reports degrees of parallelism under `deploy` whose product does not divide `world_size`, and more pipeline stages than the model has
layers.

## Why is this bad?
A rank belongs to one place of each dimension of the layout, so the degrees multiply: launchers refuse the rest. A pipeline stage without
a layer has nothing to run.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 8, "intermediate_size": 128, "vocab_size": 128, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```
```yaml
deploy: {tensor_parallel: 2, pipeline_parallel: 4, world_size: 8}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 8, "intermediate_size": 128, "vocab_size": 128, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```
```yaml
deploy: {tensor_parallel: 4, pipeline_parallel: 2, world_size: 8}
```

## Source
Narayanan et al. 2021, arXiv 2104.04473, section 3: the number of devices is the product of the degrees.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._names import first
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


DEGREES = ("tensor_parallel", "pipeline_parallel", "context_parallel", "data_parallel")


@rule("XF128", "layout-impossible", "error", needs=("yaml:deploy",))
def check(context: Context) -> Iterator[Hit]:
    """World % (tp * pp * cp * dp), and pp <= layers."""
    deploy, world = context.deploy, context.deploy.world_size
    given = {key: getattr(deploy, key) for key in DEGREES if getattr(deploy, key) is not None}
    ranks = math.prod(given.values())
    if world is not None and given and world % ranks:
        said = f"{' x '.join(f'{key} {size}' for key, size in given.items())} = {ranks} ranks, world_size is {world}"
        yield Hit(said, "/deploy/world_size", help=f"world_size {ranks} or a multiple of it", file="xfcheck.yaml")
    stages = deploy.pipeline_parallel
    said_depth = first(context.scopes[0], "depth") if context.scopes else None
    if stages is None or said_depth is None:
        return
    # those of an encoder and its decoder together, where a model can be built
    depth = sum(stack.depth for stack in context.stacks) or said_depth[1]
    if 0 < depth < stages:
        yield Hit(
            f"pipeline_parallel {stages} for {depth} layers: {stages - depth} stages have none",
            "/deploy/pipeline_parallel",
            help=f"at most {depth}",
            file="xfcheck.yaml",
            related=(Related(f"{said_depth[0]} {said_depth[1]}", context.scopes[0].at(said_depth[0])),),
        )
