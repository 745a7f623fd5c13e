"""Reading of config keys shared by families: one module a subject."""
