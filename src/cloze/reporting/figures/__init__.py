"""The report's figures. Each file in this folder is one: its data, and how it is drawn.

A file holds a `PLOT` (`cloze.reporting.plot.Plot`); a new file is found automatically.
"""

import importlib
import pkgutil

from cloze.reporting.plot import Plot


def plots() -> list[Plot]:
    """In the order in which the page shows them."""
    names = (module.name for module in pkgutil.iter_modules(__path__))
    found = [importlib.import_module(f"{__name__}.{name}").PLOT for name in names]
    return sorted(found, key=lambda plot: plot.place)
