"""Activations of each kind of mixer."""
