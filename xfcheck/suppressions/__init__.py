"""Findings that are known and not reported: by a comment in the file, by the configuration, by a baseline."""
