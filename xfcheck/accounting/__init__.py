"""Numbers as folds over the ledger and the architecture: integer arithmetic alone, no tensor library."""
