"""Reading of files: JSON, YAML, TOML, safetensors headers; positions, limits and problems, nothing executed and nothing fetched."""
