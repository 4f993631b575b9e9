"""The story on a web page.

The article comes from the layout, if it is one that we know (`layouts.py`), from Fundus, if that is
there and knows the publisher, or else from trafilatura, which knows thousands of layouts. Where a
page has no bullets, its title and standfirst can be taken for them, if that is asked for.
"""

import hashlib
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from cloze.builder.pages.bullets import bullets_in
from cloze.builder.pages.charset import decoded
from cloze.builder.pages.layouts import bullets_of, layout_of, paragraphs_of
from cloze.builder.pages.page import Page, Reading, host_of
from cloze.extras import needs
from cloze.stories import Reason, Reject, Story, checked, date_in

if TYPE_CHECKING:
    from cloze.builder.pages.fundus import Fundus

_SITE = re.compile(r"\s+[|–—-]\s+[^|–—]{1,40}$")  # "Storm over the bay - CNN.com"


class Extract(NamedTuple):
    paragraphs: list[str]
    bullets: list[str]


def story_on(page: Page, how: Reading, fundus: "Fundus | None" = None) -> Story | Reject:
    with needs("nlp"):
        import trafilatura
        from trafilatura.metadata import extract_metadata

    text = decoded(page.content, page.charset)
    tree = trafilatura.load_html(text)
    if tree is None:
        return Reject(page.where, Reason.NOT_HTML)
    about = extract_metadata(tree)
    url = page.url or (about.url if about else None)
    found = _extract(tree, text, url, fundus)
    bullets, headline = found.bullets, False
    if not bullets and how.titles and about:
        bullets, headline = _title_and_standfirst(about), True
    said = {_key(bullet) for bullet in bullets}
    story = Story(
        id=_hash(page.address or url or page.where),
        article="\n\n".join(each for each in found.paragraphs if _key(each) not in said),
        highlights=tuple(bullets),
        url=url,
        date=_date(url, about),
        headline=headline and bool(bullets),
    )
    return checked(story, page.where)


def _extract(tree: Any, text: str, url: str | None, fundus: "Fundus | None") -> Extract:
    layout = layout_of(host_of(url))
    bullets = bullets_of(layout, tree) if layout else []
    paragraphs = paragraphs_of(layout, tree) if layout else []
    if not paragraphs and fundus is not None and (known := fundus.read(text, url)) is not None:
        paragraphs, bullets = known.paragraphs, bullets or known.bullets
    return Extract(paragraphs or _paragraphs_in(tree), bullets or bullets_in(tree))


def _paragraphs_in(tree: Any) -> list[str]:
    import trafilatura

    # What it drops to be precise are lists and short paragraphs, some of them the article's.
    text = trafilatura.extract(
        tree, include_comments=False, include_tables=False, favor_recall=True
    )
    lines = (line.removeprefix("- ").strip() for line in (text or "").split("\n"))
    return [line for line in lines if line]


def _date(url: str | None, about: Any) -> str | None:
    """A day in the address is that of the article; a page may also name others."""
    in_address = date_in(url)
    if in_address and len(in_address) == len("2015-03-23"):
        return in_address
    return (about.date if about else None) or in_address


def _title_and_standfirst(about: Any) -> list[str]:
    title = _SITE.sub("", " ".join((about.title or "").split()))
    standfirst = " ".join((about.description or "").split())
    return [text for text in (title, standfirst) if text]


def _hash(identity: str) -> str:
    return hashlib.sha1(identity.encode(errors="surrogateescape")).hexdigest()


def _key(text: str) -> str:
    return re.sub(r"\W+", "", text).lower()
