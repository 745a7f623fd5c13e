"""The linter's rules: one file a rule, in the folder of its group."""
