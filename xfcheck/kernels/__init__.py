"""Attention kernels measured on this machine, with the shapes of a config.

Only `bench` imports what lies here; `case` and `request` need no torch, everything else does.
"""
