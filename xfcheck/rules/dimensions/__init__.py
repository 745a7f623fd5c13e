"""Rules of group 1: widths, depth, heads and their divisibility."""
