"""Attention and recurrence kernels measured on this machine, with the shapes of a config.

`bench` and what `--measure` asks for import what lies here; `case`, `recurrence`, `layers` and `messages` need no torch, the rest does.
"""
