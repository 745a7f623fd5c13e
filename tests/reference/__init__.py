"""What transformers says of a config, what xfcheck says of it, and where they differ.

`tiny` makes small configs of a model type, `variants` changes them one key at a time, `built` reads a model's tensors off a build without
memory, `executed` runs it, `differences` compares with xfcheck, `proof` does all of it for a type.
"""
