"""Rules of group 8: attention kernels."""
