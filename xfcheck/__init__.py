"""Read any Transformer config without torch or network, lint it, and account for what it costs."""

__version__ = "0.1.0"

__all__ = ["__version__"]
