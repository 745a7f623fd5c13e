"""JSON Schemas, generated from the Pydantic models and kept under `schemas/`."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any

from .problems import Usage

if TYPE_CHECKING:
    from collections.abc import Callable

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def model_schema() -> dict[str, Any]:
    """The schema of a model description: the architecture with the union of all kinds of mixers and positions in place."""
    from pydantic import Field, TypeAdapter

    from .architecture.model import Architecture
    from .architecture.part import MIXERS, POSITIONS, component_class

    schema = TypeAdapter(Architecture).json_schema()
    definitions = schema.setdefault("$defs", {})
    if "$ref" in schema:
        # an architecture that may hold another is given by name: only the outer one is marked
        schema = {"$defs": definitions, **definitions[schema["$ref"].rpartition("/")[2]]}
    for label, table, package in (("Mixer", MIXERS, "mixers"), ("Part", POSITIONS, "positions")):
        classes = list(dict.fromkeys(component_class(table, package, kind) for kind in table))
        union: Any = Annotated[reduce(or_, classes), Field(discriminator="kind")]
        made = TypeAdapter(union).json_schema()
        definitions.update(made.pop("$defs", {}))
        definitions[label] = made
    schema["properties"]["xfcheck"] = {"const": 1, "description": "Marks the file as a model description, version 1."}
    return {"$schema": DIALECT, **schema, "title": "xfcheck model description"}


def settings_schema() -> dict[str, Any]:
    """The schema of xfcheck.yaml."""
    from .documents.xfcheck_sections import Settings

    return {"$schema": DIALECT, **Settings.model_json_schema(), "title": "xfcheck.yaml"}


def configuration_schema() -> dict[str, Any]:
    """The schema of xfcheck.toml, which is that of the table `tool.xfcheck` too."""
    from .settings.schema import Configuration

    return {"$schema": DIALECT, **Configuration.model_json_schema(), "title": "xfcheck.toml"}


def lint_schema() -> dict[str, Any]:
    """The schema of `lint --format json`."""
    from pydantic import TypeAdapter

    from .reports.typed import LintDocument

    return {"$schema": DIALECT, **TypeAdapter(LintDocument).json_schema(), "title": "xfcheck lint --format json"}


def bench_schema() -> dict[str, Any]:
    """The schema of `bench --format json`."""
    from pydantic import TypeAdapter

    from .reports.typed_bench import BenchDocument

    return {"$schema": DIALECT, **TypeAdapter(BenchDocument).json_schema(), "title": "xfcheck bench --format json"}


def budget_schema() -> dict[str, Any]:
    """The schema of `budget --format json`."""
    from pydantic import TypeAdapter

    from .reports.typed_budget import BudgetDocument

    return {"$schema": DIALECT, **TypeAdapter(BudgetDocument).json_schema(), "title": "xfcheck budget --format json"}


SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {
    "model": model_schema,
    "xfcheck.yaml": settings_schema,
    "xfcheck.toml": configuration_schema,
    "lint": lint_schema,
    "bench": bench_schema,
    "budget": budget_schema,
}
"""Name -> what makes the schema."""


def file_name(name: str) -> str:
    """The name of the file under `schemas/`."""
    return f"{name}.schema.json"


def schema(name: str) -> dict[str, Any]:
    """The schema of that name. Raises Usage for an unknown one."""
    if name not in SCHEMAS:
        raise Usage(f"no schema {name!r}; one of {', '.join(SCHEMAS)}")
    return SCHEMAS[name]()
