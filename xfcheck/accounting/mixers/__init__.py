"""What each kind of mixer computes beside its weight matrices, and what it keeps: one module a kind.

A module has `work(spec, run, stream) -> Work` and `holds(spec, stream) -> list[Held]`, both for one layer.
"""
