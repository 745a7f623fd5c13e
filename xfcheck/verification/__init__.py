"""Proof of numbers: every check compares what the accountant says with what an independent build, or a reference, does."""
