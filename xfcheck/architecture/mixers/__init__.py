"""What mixes tokens or channels inside a sublayer. One module a kind."""
