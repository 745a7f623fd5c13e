"""The six questions of a Transformer config (chapter checklist), one module each: answers with their evidence, or "not answered"."""
