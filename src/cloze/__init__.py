"""cloze-reader: teaching machines to read and comprehend.

Articles with bullet-point summaries become anonymised cloze questions; baselines and neural
readers answer them; tables, curves and heat maps show what was read.
"""

from cloze.version import __version__

__all__ = ["__version__"]
