"""A recipe where rules look for a model folder: no config, no files beside it, and a `train` section."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..documents.folder import ModelFolder
from ..documents.xfcheck_sections import Settings, Train

if TYPE_CHECKING:
    from ..documents.document import Document
    from .recipe import Recipe


class RecipeFolder(ModelFolder):
    """`recipe` with the keys of the file as `config`; `xfcheck` is the section it was read into, under what `--set` gave."""

    def __init__(self, given: ModelFolder, recipe: Recipe, document: Document) -> None:
        super().__init__(given.path, None, document)
        self.recipe = recipe
        train = _train({**recipe.train, "framework": recipe.framework})
        settings = Settings(train=train)
        if given._overridden:
            over = given.xfcheck.model_dump(exclude_unset=True)
            train = _train({**recipe.train, "framework": recipe.framework, **over.pop("train", {})})
            settings = given.xfcheck.model_copy(update={"train": train})
        self._settings = settings, []


def _train(given: dict[str, Any]) -> Train:
    """The section of what is valid in `given`: another tool's odd value is no fault of the section's schema."""
    from pydantic import ValidationError

    given = dict(given)
    while True:
        try:
            return Train.model_validate(given)
        except ValidationError as error:
            bad = {str(e["loc"][0]) for e in error.errors(include_url=False) if e["loc"]} & given.keys()
            if not bad:
                return Train()
            for key in bad:
                del given[key]
