"""The verb behind a noun or adjective never seen before: evacuation -> evacuate, cooking -> cook.

A rule rewrites an ending. Rules are counted over the lemmas whose roleset is known; the longest
known ending is rewritten in the way that is most frequent for it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import takewhile

LONGEST = 6  # letters of an ending
LEAST = 3  # letters that a lemma and its verb must share


def learn(pairs: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """Rules {"N:ation": "ate"} from distinct (part of speech, lemma, verb).

    >>> rules = learn([("N", "narration", "narrate"), ("N", "creation", "create")])
    >>> base("N", "evacuation", rules)
    'evacuate'
    """
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for part, lemma, verb in set(pairs):
        letters = zip(lemma, verb, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], letters))
        if shared < LEAST:
            continue
        for start in range(max(LEAST - 1, len(lemma) - LONGEST), shared + 1):
            seen[f"{part}:{lemma[start:]}"][verb[start:]] += 1
    return {
        ending: min(counts.items(), key=lambda pair: (-pair[1], pair[0]))[0]
        for ending, counts in sorted(seen.items())
        if counts.total() > 1 or len(ending) <= 2 + LEAST
    }


def base(part: str, lemma: str, rules: Mapping[str, str]) -> str:
    """The lemma with its longest known ending rewritten."""
    for start in range(max(LEAST - 1, len(lemma) - LONGEST), len(lemma) + 1):
        rewritten = rules.get(f"{part}:{lemma[start:]}")
        if rewritten is not None:
            return lemma[:start] + rewritten
    return lemma
