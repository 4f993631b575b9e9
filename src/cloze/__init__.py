"""cloze-reader: teaching machines to read and comprehend.

Articles with bullet-point summaries become anonymised cloze questions; baselines and neural
readers answer them; tables, curves and heat maps show what was read.
"""

__version__ = "0.1.0"

__all__ = ["__version__"]
