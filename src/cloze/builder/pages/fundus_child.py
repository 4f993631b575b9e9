"""Run by a Python that has Fundus, and not by ours: reads pages on its standard input.

One JSON object per line, `{"html": …, "url": …}`; the answer is a line too: `{"body": […],
"summary": […]}`, or `null` where Fundus does not know the publisher or finds no article.
"""

import json
import signal
import sys
from typing import Any
from urllib.parse import urlsplit

SECONDS = 30  # of computing for one page; then the process ends, and another one is started


def domain(url: str | None) -> str:
    host = (urlsplit(url or "").hostname or "").lower()
    return host[4:] if host.startswith("www.") else host


def publishers() -> dict[str, Any]:
    from fundus import PublisherCollection

    return {domain(publisher.domain): publisher for publisher in PublisherCollection}


def publisher_of(url: str | None, known: dict[str, Any]) -> Any:
    """The publisher of a host or of the nearest domain above it."""
    parts = domain(url).split(".")
    for start in range(len(parts) - 1):
        if (found := known.get(".".join(parts[start:]))) is not None:
            return found
    return None


def article(html: str, publisher: Any) -> dict[str, list[str]] | None:
    found = publisher.parser().parse(html, "suppress")
    body = found.get("body")
    if not body:
        return None
    parts = [part for section in body.sections for part in (section.headline, section.paragraphs)]
    summary = list(body.summary) or list(found.get("key_points") or [])
    return {"body": clean([text for part in parts for text in part]), "summary": clean(summary)}


def clean(texts: list[Any]) -> list[str]:
    return [joined for text in texts if (joined := " ".join(str(text).split()))]


def main() -> None:
    answers, sys.stdout = sys.stdout, sys.stderr  # nobody else may print among the answers
    known = publishers()
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        publisher = publisher_of(asked["url"], known)
        answer = None
        if publisher is not None:
            if hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                answer = article(asked["html"], publisher)
            except Exception:  # a page is no reason to end; another extractor has its turn
                answer = None
            if hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_PROF, 0)
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
