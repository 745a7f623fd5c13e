"""Rules of group 5: experts, capacity, balance."""
