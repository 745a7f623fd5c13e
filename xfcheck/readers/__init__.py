"""A config as different tools read it: one module a reader."""
