"""A semantic role parser in the manner of PropBank, and its model."""
