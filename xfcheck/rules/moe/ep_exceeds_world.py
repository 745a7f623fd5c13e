"""More expert-parallel ranks than there are.

## What it does
Reports `deploy.expert_parallel` above the world size, or no divisor of it.

## Why is this bad?
Expert-parallel groups are cut from the ranks there are. The usual slip is to give the number of experts for the size of the group.

## Example
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 8, "num_experts_per_tok": 2, "sliding_window": null}
```
```yaml
deploy: {expert_parallel: 8, world_size: 4}
```

## Use instead
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 8, "num_experts_per_tok": 2, "sliding_window": null}
```
```yaml
deploy: {expert_parallel: 4, world_size: 4}
```

## Source
deepspeedai/DeepSpeed#7551.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ..dimensions._sizes import divisors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


SIZES = ("tensor_parallel", "pipeline_parallel", "data_parallel", "context_parallel")


@rule("XF506", "ep-exceeds-world", "error", needs=("yaml:deploy",))
def check(context: Context) -> Iterator[Hit]:
    """Ep <= world and world % ep; the world is the product of the other sizes where it is not given."""
    deploy, world = context.deploy, context.deploy.world_size
    ep = deploy.expert_parallel
    if ep is None:
        return
    at = "/deploy/world_size"
    if world is None:
        given = [getattr(deploy, key) for key in SIZES if getattr(deploy, key) is not None]
        if not given:
            return
        world, at = 1, "/deploy"
        for size in given:
            world *= size
    if ep > world or world % ep:
        said = (
            f"expert_parallel {ep} is above the {world} ranks there are"
            if ep > world
            else f"{world} ranks cannot be cut into groups of {ep}"
        )
        yield Hit(
            said,
            "/deploy/expert_parallel",
            help=f"expert_parallel {', '.join(map(str, divisors(world)))}",
            file="xfcheck.yaml",
            related=(Related(f"{world} ranks", at, "xfcheck.yaml"),),
        )
