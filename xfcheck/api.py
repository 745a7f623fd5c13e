"""What other programs call: `xfcheck.lint` and `xfcheck.account`. The objects are those of the command line's JSON."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

from .problems import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .reports.typed import FileObject

    Path = str | os.PathLike[str]


def lint(
    path: Path,
    *,
    select: Iterable[str] | None = None,
    extend_select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    deployment: Mapping[str, Any] | None = None,
    config: Path | None = None,
    isolated: bool = False,
) -> list[FileObject]:
    """Lint a config file, a model folder or a tree; one object a config, in the order of a walk, as `lint --format jsonl` gives them.

    `select`, `extend_select` and `ignore` are rule codes or prefixes (`"XF104"`, `"XF3"`, `"ALL"`). `deployment` overrides keys of the
    `deploy` section of xfcheck.yaml (`{"tensor_parallel": 8}`). `config` is the configuration file for all of them; without it each
    config has the nearest one, with `isolated` none. Nothing is printed, written or fetched, and no rule that crashes raises: it is a
    finding XF900.

    Raises Usage where the path is not there or holds no config, a folder below it cannot be read, a code is unknown, or the configuration
    is wrong. A config that cannot be read, or is malformed, is a finding XF901.
    """
    from .cli.answers import without_config
    from .cli.collect import Search
    from .cli.linting import Linter, Plan
    from .reports.formats.json_document import element
    from .rules._registry import index
    from .rules._selection import parse

    known = index()
    plan = Plan(
        config=None if config is None else os.fspath(config),
        isolated=isolated,
        select=None if select is None else parse(select, known),
        extend=parse(extend_select, known),
        ignore=parse(ignore, known),
        assignments=tuple(f"deploy.{key}={_written(value)}" for key, value in (deployment or {}).items()),
    )
    linter = Linter(plan)
    out = []
    for candidate in Search(linter.finder).candidates([os.fspath(path)]):
        if isinstance(candidate, Usage):
            raise candidate
        outcome = linter.one(candidate)
        if outcome.linted is not None:
            out.append(cast("FileObject", element(outcome.linted)))
    if not out:
        raise without_config(os.fspath(path))
    return out


def _written(value: Any) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value)


def account(
    path: Path,
    *,
    batch: int = 1,
    context: int | None = None,
    source_length: int | None = None,
    dtype: str | None = None,
    cache_dtype: str | None = None,
    engine: str = "logical",
) -> dict[str, Any]:
    """What a config costs: the object of `xfcheck budget --format json` for one config file or model folder.

    `batch` counts sequences, `context` tokens of each (default: what the config says), `source_length` tokens of an encoder. Dtypes are
    bf16, fp16, fp32, fp8, and for the cache q8_0, q4_0 too. `engine` says in whose terms the cache is counted: logical, transformers,
    vllm, llama.cpp. Counts are exact integers; the unit is in the key; `fidelity` says whether the family is held to a reference.

    It is one element of `results` in the schema of `xfcheck schema budget`, whose `$defs` call it BudgetObject.

    Raises Usage where the path is not there, is a folder without a config.json, or an option is wrong; Refused where there is a config
    that no model can be built from, with the rule code that explains it (XF901 where it is malformed).
    """
    from .accounting.budget import Options, budget
    from .cli.answers import missing, without_config
    from .documents.folder import open_model
    from .model import load

    name = os.fspath(path)
    if not os.path.lexists(name):
        raise missing(name)
    options = Options(batch=batch, context=context, dtype=dtype, cache_dtype=cache_dtype, engine=engine, source=source_length)
    options.check()
    folder = open_model(name)
    if folder.config is None:
        raise without_config(name)
    return {"path": name, **budget(load(folder), options)}
