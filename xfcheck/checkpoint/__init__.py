"""Checkpoints: what their headers hold, and how that agrees with a config. No tensor is ever read."""
