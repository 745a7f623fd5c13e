"""What each kind of mixer keeps: one module a kind with `run(tape, spec, x, memory)`, the mixer's output."""
