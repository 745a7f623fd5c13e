"""One generic set of torch modules, built from an architecture and never from the ledger, so that the two check each other.

`model.build` makes a model on any device; on `meta` it costs no memory, with one layer for each kind of block. `unrunnable` names what this
set cannot run. Only the commands that prove or measure import this package; the rest of the tool never imports torch.
"""
