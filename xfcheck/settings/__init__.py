"""The tool's own configuration: `[tool.xfcheck]` of pyproject.toml, or xfcheck.toml."""
