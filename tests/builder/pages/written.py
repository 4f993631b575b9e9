"""Small pages in the designs of their time, written for these tests."""

from collections.abc import Sequence

BULLETS = (
    "Storm hits Kestrel Bay on Monday night",
    "Mayor Mara Venn asks people to stay at home",
    "Ferry company Norlund cancels all its trips",
)
PARAGRAPHS = tuple(
    f"A heavy storm hit the harbour of Kestrel Bay on Monday, and Mara Venn said that wave number "
    f"{number} of the long night had been the worst of all."
    for number in range(6)
)
NAVIGATION = (
    "<div id='nav'><ul><li>Home is where the news is</li><li>World news of today</li></ul></div>"
)


def items(texts: Sequence[str]) -> str:
    return "".join(f"<li>{text}</li>" for text in texts)


def paragraphs(opening: str = "<p>", closing: str = "</p>") -> str:
    return "\n".join(f"{opening}{text}{closing}" for text in PARAGRAPHS)


def page(body: str, head: str = "") -> str:
    head = f"<title>Storm over Kestrel Bay - CNN.com</title>{head}"
    return f"<!DOCTYPE html><html><head>{head}</head><body>{NAVIGATION}{body}</body></html>"


def cnn_2007() -> str:
    """The highlights to the right of the headline, with a heading and a link among them."""
    bullets = items(BULLETS)
    return page(
        f"""<div class="cnnContentContainer" id="cnnContentContainer"><h1>Storm over Kestrel Bay</h1>
        <div id="cnnHeaderRightCol"><ul>
          <li class="cnnHiliteHeader">Story Highlights</li>{bullets}
          <li><b>Next Article in World</b> &raquo;</li></ul></div>
        <div class="cnnByline"><p>By Nils Aarn</p></div>
        <div class="cnn_strylftcntnt"><p>Waves at the pier. Photo: Aarn</p></div>
        {paragraphs()}</div><p>&copy; 2007 Cable News Network. All rights reserved.</p>"""
    )


def cnn_2011() -> str:
    return page(
        f"""<div id="cnnContentContainer"><h1>Storm over Kestrel Bay</h1>
        <div class="cnn_strycntntlft">
          <div class="cnn_strylftcntnt cnn_strylftcexpbx"><div class="cnn_strylctcntr">
            <h4>STORY HIGHLIGHTS</h4>
            <ul class="cnn_bulletbin cnnStryHghLght">{items(BULLETS)}</ul></div></div>
          <script>var p = "not text";</script>
          {paragraphs()}
          <div class="cnn_strycaptiontxt"><p>Waves at the pier</p></div>
        </div></div>"""
    )


def cnn_2015() -> str:
    text = paragraphs('<p class="zn-body__paragraph">')
    first, rest = text.split("</p>", 1)
    return page(
        f"""<article><h1 class="pg-headline">Storm over Kestrel Bay</h1>
        <div class="el__storyhighlights"><h3 class="el__storyhighlights__title">Story highlights</h3>
        <ul class="el__storyhighlights__list"><li class="el__storyhighlights__item">{BULLETS[0]}</li>
        <li class="el__storyhighlights__item">{BULLETS[1]}</li>
        <li class="el__storyhighlights__item">{BULLETS[2]}</li></ul></div>
        {first.replace('">', '"><cite class="el-editorial-source">(CNN)</cite>')}</p>{rest}
        <blockquote class="twitter-tweet"><p class="zn-body__paragraph">What waves!</p></blockquote>
        <div class="zn-body__footer"><p class="zn-body__paragraph">Follow us for more.</p></div>
        </article>"""
    )


def daily_mail_2009() -> str:
    return page(
        f"""<div class="article-text wide"><h1>Storm over Kestrel Bay</h1>
        <ul>{items(BULLETS)}</ul>
        <p class="author-section byline-plain">By Nils Aarn</p>
        <p class="byline-section"><b>Last updated at 9:14 AM on 9th March 2009</b></p>
        {paragraphs("<p>")}
        <div class="related-carousel"><ul><li>More</li></ul><p>Share this article</p></div></div>"""
    )


def daily_mail_2014() -> str:
    bullets = "".join(f"<li><font><strong>{text}</strong></font></li>" for text in BULLETS)
    text = paragraphs('<p class="mol-para-with-font"><font>', "</font></p>")
    return page(
        f"""<div id="js-article-text" class="article-text wide" itemprop="articleBody">
        <h1>Storm over Kestrel Bay</h1><ul class="mol-bullets-with-font">{bullets}</ul>
        <p class="author-section byline-plain">By Nils Aarn</p>{text}
        <div class="artSplitter"><p class="imageCaption">Waves at the pier</p></div>
        <div class="mol-factbox"><p>HOW STORMS BEGIN</p></div></div>"""
    )


def without_bullets() -> str:
    about = (
        '<meta property="og:title" content="Storm over Kestrel Bay">'
        '<meta name="description" content="Mayor Mara Venn asks people to stay at home.">'
    )
    return page(f"<article><h1>Storm over Kestrel Bay</h1>{paragraphs()}</article>", about)
