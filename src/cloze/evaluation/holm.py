"""P-values of several comparisons at once.

Of twenty true null hypotheses one is rejected at 0.05 by chance alone. Holm's method makes the
chance of even one false rejection at most 0.05: the smallest of m p-values is multiplied by m, the
next by m - 1, and so on; none may be below the one before it.
"""

from collections.abc import Sequence


def holm(values: Sequence[float]) -> list[float]:
    """The corrected p-values, in the order given.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    corrected = [1.0] * len(values)
    highest = 0.0
    for tried, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(1.0, (len(values) - tried) * values[place]))
        corrected[place] = highest
    return corrected
