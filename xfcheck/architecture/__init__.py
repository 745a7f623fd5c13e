"""The Pydantic schema of an architecture, in the order of the chapter's checklist.

Dimensions (`mixers`), masks (`masks`), positions (`positions`), norms, MLP and residual order (`norm`, `mixers.mlp`, `blocks`),
experts (`mixers.moe`), vocabulary and head (`vocabulary`). A component kind is one model in a module of its own, imported by its kind.
"""
