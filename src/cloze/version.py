"""The version, which files name and pyproject.toml reads."""

__version__ = "0.1.0"
