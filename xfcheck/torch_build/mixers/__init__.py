"""The modules of each kind of mixer, imported by kind."""
