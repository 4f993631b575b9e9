"""Which names of a data point stand for the same thing: ordered sieves over its names."""
