"""Rules of group 2: attention mask against loss mask."""
