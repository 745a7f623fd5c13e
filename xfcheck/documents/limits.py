"""Bounds of reading. Each is far above what published models need and low enough that a hostile file costs about a second at most.

CONFIG_BYTES       16 MB: the largest published config.json is about 1 MB (label maps of 20,000 classes).
LARGE_BYTES        64 MB: tokenizer.json of 256,000-entry vocabularies is 17 to 35 MB, an index of 90,000 tensors 9 MB.
YAML_BYTES         4 MB: a YAML scanner is some fifty times slower than a JSON one, and no recipe is longer than a page or two.
TOML_BYTES         1 MB: tomllib is pure Python.
TOLERANT_BYTES     2 MB: above it a faulty JSON file is reported at its first error only; the forgiving reader does 2 to 6 MB/s.
MAPPED_BYTES       1 MB: above it positions are searched one by one instead of kept for every value (100 bytes of map a byte of text).
DEPTH              64 containers inside one another: published files stay under 12; stops RecursionError in every later walk.
INTEGER_DIGITS     400 digits: 2**1024, the range of a double, has 309; int() of CPython stops at 4,300 and is quadratic before.
ELEMENTS           1,000,000 values in one config: a label map of every image class known is 22,000.
LARGE_ELEMENTS     8,000,000 values in tokenizer.json: 514,000 merges written as pairs are 1.5 million.
YAML_EVENTS        100,000 parser events: about half a second.
YAML_ALIASES       64: recipes use a handful; what they expand to is bounded by ELEMENTS as well.
SAFETENSORS_HEADER 100 MB: the bound of the format itself.
PROBLEMS           100 a file: more would hide the first ones, and looking for them takes time.
ENTRIES            200,000 directory entries visited by one search, TREE_DEPTH 32 folders deep.
All sizes are bytes, MB = 10**6.
"""

from __future__ import annotations

CONFIG_BYTES = 16_000_000
LARGE_BYTES = 64_000_000
YAML_BYTES = 4_000_000
TOML_BYTES = 1_000_000
TOLERANT_BYTES = 2_000_000
MAPPED_BYTES = 1_000_000
DEPTH = 64
INTEGER_DIGITS = 400
ELEMENTS = 1_000_000
LARGE_ELEMENTS = 8_000_000
YAML_EVENTS = 100_000
YAML_ALIASES = 64
SAFETENSORS_HEADER = 100_000_000
PROBLEMS = 100
ENTRIES = 200_000
TREE_DEPTH = 32


def is_large(name: str) -> bool:
    """Whether a file of this name is one of those that are long by nature: tokenizer.json and checkpoint indexes."""
    base = name.rpartition("/")[2]
    return base == "tokenizer.json" or base.endswith(".index.json")


def byte_limit(name: str, format: str) -> int:
    """Largest size in bytes that a file of this name and format is read at."""
    if format == "yaml":
        return YAML_BYTES
    if format == "toml":
        return TOML_BYTES
    return LARGE_BYTES if is_large(name) else CONFIG_BYTES


def element_limit(name: str) -> int:
    """Largest number of values (members of objects and arrays, nested ones included) in a file of this name."""
    return LARGE_ELEMENTS if is_large(name) else ELEMENTS
