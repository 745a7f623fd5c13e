"""Rules of group 3: position mechanism and lengths."""
