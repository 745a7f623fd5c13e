"""How a model knows positions: chapter question 3. One module a mechanism."""
