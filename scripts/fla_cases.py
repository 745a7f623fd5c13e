"""Record what the models of flash-linear-attention hold: `tests/families/fla/<type>.json` from the configs in these files.

Needs flash-linear-attention and triton importable (neither a GPU nor weights: models are built without storage). Each file is a list of
cases; of a case only `config` is written by hand. `parameters` counts a tensor with several names once; `tensors` is name -> shape, the
layers of alike ones as a range in the name. With `--check` nothing is written and the exit status says whether anything differs.
"""

import argparse
import importlib
import json
import sys
from pathlib import Path

from xfcheck.architecture.layers import LayerSet

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "families" / "fla"
SOFT = ("attn", "forgetting_attn", "mla", "moba", "nsa", "path_attn")


def stub() -> None:
    """A name in the place of the compiled attention that some layers ask for when they are made."""
    for name in SOFT:
        module = importlib.import_module(f"fla.layers.{name}")
        if hasattr(module, "flash_attn_func"):
            vars(module)["flash_attn_func"] = object()


def built(config: dict[str, object]) -> tuple[int, dict[str, list[int]]]:
    """(parameters, name -> shape) of a model."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    keys = {key: value for key, value in config.items() if key != "model_type"}
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(AutoConfig.for_model(config["model_type"], **keys))
    own = dict(model.named_parameters())
    shared = dict(model.named_parameters(remove_duplicate=False))
    buffers = {name: tensor for name, tensor in model.state_dict().items() if name not in shared}
    return sum(p.numel() for p in own.values()), {name: list(tensor.shape) for name, tensor in (own | buffers).items()}


def folded(shapes: dict[str, list[int]]) -> dict[str, list[int]]:
    """The same with one entry for layers alike."""
    alike: dict[tuple[str, str, tuple[int, ...]], list[int]] = {}
    out: dict[str, list[int]] = {}
    for name, shape in shapes.items():
        before, mark, after = name.partition(".layers.")
        number, _, rest = after.partition(".")
        if mark and number.isdigit():
            alike.setdefault((before + mark, "." + rest, tuple(shape)), []).append(int(number))
        else:
            out[name] = shape
    return out | {f"{before}{{{LayerSet.of(layers)}}}{rest}": list(shape) for (before, rest, shape), layers in alike.items()}


def main() -> int:
    """Write or check every file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    importlib.import_module("fla.models")
    stub()
    differing = []
    for path in sorted(FOLDER.glob("*.json")):
        cases = []
        for case in json.loads(path.read_text()):
            count, shapes = built(case["config"])
            cases.append({"config": case["config"], "parameters": count, "tensors": folded(shapes)})
        text = "[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n"
        if text != path.read_text():
            differing.append(path.name)
            if not check:
                path.write_text(text)
    print(f"{len(differing)} files {'differ' if check else 'written'}: {', '.join(differing)}")
    return int(check and bool(differing))


if __name__ == "__main__":
    sys.exit(main())
