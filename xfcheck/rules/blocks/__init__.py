"""Rules of group 4: norms, MLP, biases, tying, dtype, quantisation."""
