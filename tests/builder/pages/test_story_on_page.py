"""Articles and bullets out of pages: designs that we know, others, and none."""

import hashlib
from collections.abc import Callable

import pytest

from cloze.builder.pages.page import Page, Reading
from cloze.builder.pages.story_on_page import story_on
from cloze.stories import Story
from tests.builder.pages import written

CNN = "http://www.cnn.com/2009/WORLD/europe/03/09/storm/index.html"
MAIL = "http://www.dailymail.co.uk/news/article-1160000/Storm-Kestrel-Bay.html"


def story(
    html: str | bytes, url: str | None = None, charset: str | None = None, **how: bool
) -> Story:
    content = html.encode() if isinstance(html, str) else html
    found = story_on(Page(content, "storm", url, url, charset), Reading(**how))
    assert isinstance(found, Story)
    return found


@pytest.mark.parametrize(
    ("html", "url"),
    [
        (written.cnn_2007, CNN),
        (written.cnn_2011, "http://edition.cnn.com/2011/03/09/storm"),
        (written.cnn_2015, CNN),
        (written.daily_mail_2009, MAIL),
        (written.daily_mail_2014, MAIL),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_known_design(html: Callable[[], str], url: str) -> None:
    found = story(html(), url)
    assert found.highlights == written.BULLETS
    assert found.article.removeprefix("(CNN)").split("\n\n") == list(written.PARAGRAPHS)
    assert found.id == hashlib.sha1(url.encode()).hexdigest()
    assert found.url == url
    assert not found.headline


def test_the_rules_are_for_their_own_site() -> None:
    """Elsewhere the same page goes to trafilatura, which finds the article as well."""
    found = story(written.cnn_2011(), "http://storms.example/kestrel")
    assert found.highlights == written.BULLETS
    assert all(paragraph in found.article for paragraph in written.PARAGRAPHS)


def test_a_list_in_the_text_is_not_lost() -> None:
    """A precise extraction drops lists, and with them what an article says."""
    losses = [f"The boat of captain number {number} sank in the harbour" for number in range(9)]
    text = written.paragraphs()
    html = written.page(
        f"<article><h1>Storm</h1>{text}<ul>{written.items(losses)}</ul>{text}</article>"
    )
    assert all(loss in story(html).article for loss in losses)


def test_the_title_and_the_standfirst_only_if_asked_for() -> None:
    assert story(written.without_bullets()).highlights == ()
    found = story(written.without_bullets(), titles=True)
    assert found.highlights == (
        "Storm over Kestrel Bay",
        "Mayor Mara Venn asks people to stay at home.",
    )
    assert found.headline
    assert not story(written.cnn_2015(), CNN, titles=True).headline


@pytest.mark.parametrize("sent", ["utf-8", "windows-1252", "iso-8859-15", "utf-16"])
@pytest.mark.parametrize("said", ["utf-8", "iso-8859-1", "nonsense", "rot13", None])
def test_a_wrong_label_spoils_nothing(sent: str, said: str | None) -> None:
    html = written.without_bullets().replace("Mara Venn", "Zoë Müller")
    found = story(html.encode(sent), None, said)
    assert "Zoë Müller said" in found.article


def test_the_label_of_the_server_or_of_the_page_is_believed_if_it_fits() -> None:
    html = written.without_bullets().replace("Mara Venn", "Злата Венн")
    assert "Злата Венн said" in story(html.encode("koi8-r"), None, "koi8-r").article
    labelled = html.replace("<head>", '<head><meta charset="windows-1251">')
    assert "Злата Венн said" in story(labelled.encode("windows-1251")).article
