"""Rules of group 9: files and readers."""
