"""Rows shared by families: one module a kind of mixer, and the walk over a whole architecture (`model`)."""
