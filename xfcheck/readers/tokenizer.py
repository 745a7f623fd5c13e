"""The tokenizer of a model folder, read from its files without any tokenizer library.

Sources: the file format of tokenizers (tokenizer.json: `model.vocab`, `added_tokens`, `post_processor`), and tokenizer_config.json,
special_tokens_map.json and added_tokens.json as transformers 5.24.0 writes them.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..documents.folder import ModelFolder

ROLES = ("bos", "eos", "pad", "unk", "cls", "sep", "mask")
FILES = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.json")
"""The files that are read, those whose ids count first."""


@dataclass(slots=True, eq=False, repr=False, match_args=False)
class Tokenizer:
    """What the tokenizer files say.

    `vocabulary`: token -> id of the trained vocabulary, null where no file at hand holds it. `added`: id -> token of every added token.
    `config` is tokenizer_config.json. `special` maps a role (eos) to its token and the file that gives it. `clashes` are two statements
    about one token or one id that cannot both hold: (file, pointer, message).
    """

    vocabulary: dict[str, int] | None = None
    added: dict[int, str] = field(default_factory=dict)
    special_ids: set[int] = field(default_factory=set)
    config: dict[str, Any] = field(default_factory=dict)
    special: dict[str, tuple[str, str]] = field(default_factory=dict)
    clashes: list[tuple[str, str, str]] = field(default_factory=list)
    adds_bos: bool | None = None
    _ids: dict[str, int] = field(default_factory=dict)

    @property
    def base(self) -> int | None:
        """Highest id of the trained vocabulary + 1."""
        return None if not self.vocabulary else max(self.vocabulary.values()) + 1

    @property
    def highest(self) -> int | None:
        """Highest id that any file gives to a token."""
        base = self.base
        return max((*self.added, *(() if base is None else (base - 1,))), default=None)

    @property
    def length(self) -> int | None:
        """Highest id + 1, null where the trained vocabulary is not at hand: the added tokens alone do not tell."""
        highest = self.highest
        return None if self.vocabulary is None or highest is None else highest + 1

    def id(self, token: str) -> int | None:
        """The id of a token, null where no file at hand gives it."""
        return self._ids.get(token, (self.vocabulary or {}).get(token))

    def token(self, role: str) -> str | None:
        """The token of a role (eos), null where there is none."""
        found = self.special.get(role)
        return None if found is None else found[0]

    def role_id(self, role: str) -> int | None:
        """The id of the token of a role."""
        token = self.token(role)
        return None if token is None else self.id(token)

    def name(self, number: int) -> str | None:
        """The token of an id, null where it is not known."""
        if number in self.added:
            return self.added[number]
        return next((token for token, i in (self.vocabulary or {}).items() if i == number), None)


_KEPT: weakref.WeakKeyDictionary[ModelFolder, Tokenizer] = weakref.WeakKeyDictionary()


def tokenizer_of(folder: ModelFolder) -> Tokenizer:
    """The tokenizer beside a config, read once a folder; an empty one where there are no files."""
    if folder not in _KEPT:
        _KEPT[folder] = _read(folder)
    return _KEPT[folder]


def content(token: Any) -> str | None:
    """The text of a token written as a string or as an object with `content`."""
    if isinstance(token, dict):
        token = token.get("content")
    return token if isinstance(token, str) else None


def _read(folder: ModelFolder) -> Tokenizer:
    present = set(folder.beside())
    held = {name: _data(folder, name) if name in present else None for name in FILES[:-1]}
    out = Tokenizer()
    if isinstance(held["tokenizer_config.json"], dict):
        out.config = held["tokenizer_config.json"]
    whole = held["tokenizer.json"]
    if isinstance(whole, dict):
        out.vocabulary = _vocabulary(whole.get("model"))
    elif "vocab.json" in present:
        out.vocabulary = _vocabulary({"vocab": _data(folder, "vocab.json")})
    for file, pointer, number, token, special in _added(whole, out.config, held["added_tokens.json"]):
        _add(out, file, pointer, number, token, special=special)
    for role in ROLES:
        for file in ("tokenizer_config.json", "special_tokens_map.json"):
            data = held[file]
            named = content(data.get(f"{role}_token")) if isinstance(data, dict) else None
            if named is not None and role not in out.special:
                out.special[role] = named, file
    out.adds_bos = _adds_bos(out, whole)
    return out


def _data(folder: ModelFolder, name: str) -> Any:
    document = folder.side(name)
    return None if document is None else document.data


def _vocabulary(model: Any) -> dict[str, int] | None:
    vocab = model.get("vocab") if isinstance(model, dict) else None
    if isinstance(vocab, dict):
        return {t: i for t, i in vocab.items() if isinstance(i, int) and not isinstance(i, bool) and i >= 0} or None
    if isinstance(vocab, list):
        return {str(pair[0]): i for i, pair in enumerate(vocab) if isinstance(pair, list) and pair} or None
    return None


def _added(whole: Any, config: dict[str, Any], older: Any) -> Iterator[tuple[str, str, int, str, bool]]:
    """(file, pointer, id, token, whether it is special) of every added token that a file names."""
    listed = whole.get("added_tokens") if isinstance(whole, dict) else None
    for at, token in enumerate(listed if isinstance(listed, list) else ()):
        text = content(token)
        if text is not None and isinstance(token, dict) and isinstance(token.get("id"), int):
            yield "tokenizer.json", f"/added_tokens/{at}", token["id"], text, token.get("special") is True
    decoder = config.get("added_tokens_decoder")
    for key, token in (decoder if isinstance(decoder, dict) else {}).items():
        text = content(token)
        if text is not None and key.isascii() and key.isdigit() and len(key) < 10:
            special = isinstance(token, dict) and token.get("special") is True
            yield "tokenizer_config.json", f"/added_tokens_decoder/{key}", int(key), text, special
    for text, number in (older if isinstance(older, dict) else {}).items():
        if isinstance(number, int) and not isinstance(number, bool):
            yield "added_tokens.json", "/" + text.replace("~", "~0").replace("/", "~1"), number, text, False


def _add(out: Tokenizer, file: str, pointer: str, number: int, token: str, *, special: bool) -> None:
    if number < 0:
        return
    other, known = out.added.get(number), out.id(token)
    if other is not None and other != token:
        out.clashes.append((file, pointer, f"id {number} is {token!r} here and {other!r} in another place"))
    elif known is not None and known != number:
        out.clashes.append((file, pointer, f"{token!r} has id {number} here and id {known} in another place"))
    out.added.setdefault(number, token)
    out._ids.setdefault(token, number)
    if special:
        out.special_ids.add(number)


def _adds_bos(out: Tokenizer, whole: Any) -> bool | None:
    """Whether encoding puts the first token in front: the written switch, else the template of the post-processor."""
    written = out.config.get("add_bos_token")
    if isinstance(written, bool):
        return written
    bos, todo = out.token("bos"), [whole.get("post_processor")] if isinstance(whole, dict) else []
    while bos is not None and todo:
        step = todo.pop()
        if isinstance(step, dict) and isinstance(step.get("processors"), list):
            todo.extend(step["processors"])
        elif isinstance(step, dict) and isinstance(step.get("single"), list):
            return any(
                isinstance(p, dict) and isinstance(p.get("SpecialToken"), dict) and p["SpecialToken"].get("id") == bos
                for p in step["single"]
            )
    return None
