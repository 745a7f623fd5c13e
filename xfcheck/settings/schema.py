"""The tables and keys of a configuration file. Strict: no key beyond the declared ones, no text for a number."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Level = Literal["error", "warning", "info"]


class Table(BaseModel):
    """A table of the file; keys are written with hyphens."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class PerFileIgnore(Table):
    """Codes that are not reported for the files of a pattern, and why."""

    codes: Annotated[list[str], Field(min_length=1, description="Codes or prefixes: XF103, XF3, ALL.")]
    reason: Annotated[str, Field(min_length=3, description="Why these files may have it; who reads the file in a year wants to know.")]


class Budget(Table):
    """What the configs may cost; `xfcheck budget` holds them to it."""

    assert_: Annotated[list[str], Field(alias="assert", description='Assertions: "parameters.total <= 8.1e9".')] = []


class Targets(Table):
    """Where the configs are meant to run; an xfcheck.yaml beside a config says it better."""

    engine: Annotated[str | None, Field(description="deploy.engine: vllm, sglang, transformers, llama.cpp, ...")] = None
    readers: Annotated[list[str] | None, Field(description='deploy.readers: ["transformers>=4.43"].')] = None


class Configuration(Table):
    """The whole file, or the table `tool.xfcheck`."""

    select: Annotated[list[str] | None, Field(description="Only these codes or prefixes.")] = None
    extend_select: Annotated[
        list[str], Field(alias="extend-select", description="These codes or prefixes as well; ALL takes in the infos.")
    ] = []
    ignore: Annotated[list[str], Field(description="Not these codes or prefixes.")] = []
    severities: Annotated[dict[str, Level], Field(description="Code or prefix -> another severity.")] = {}
    per_file_ignores: Annotated[
        dict[str, PerFileIgnore], Field(alias="per-file-ignores", description="Pattern of paths -> codes and the reason.")
    ] = {}
    fail_on: Annotated[
        Literal["error", "warning", "info", "never"], Field(alias="fail-on", description="From here on the exit code is 1.")
    ] = "error"
    exclude: Annotated[list[str], Field(description="Patterns of paths, as in .gitignore, that a search leaves out.")] = []
    budget: Budget = Budget()
    targets: Targets = Targets()
