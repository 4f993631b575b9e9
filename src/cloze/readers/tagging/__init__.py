"""A tagger of names on the body of an Encoder Reader."""

FILE = "tagger.safetensors"  # in the reader's folder
