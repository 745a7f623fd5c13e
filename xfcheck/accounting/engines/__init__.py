"""What each engine keeps of a context: one module an engine, each with `tokens(held, context, source)`."""
