"""The audit as a page: each document with its clusters in colour, and what to look at."""

from collections.abc import Iterable, Iterator
from html import escape

from cloze.builder.audit import Looked
from cloze.document import Question
from cloze.text import THE_GAP, Text

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Audit of {name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
  color: #1b1b1b; background: #fff }}
summary {{ cursor: pointer; margin: .6rem 0 }}
table {{ border-collapse: collapse; margin: .8rem 0; font-size: .9rem }}
td, th {{ text-align: left; padding: .15rem .8rem .15rem 0; vertical-align: top }}
.doubt {{ background: #fff3cd; padding: .2rem .6rem; margin: .2rem 0;
  border-left: 4px solid #d39e00 }}
mark {{ border-radius: .25rem; padding: 0 .15rem; color: inherit }}
sup {{ font-size: .65em; color: #555 }}
.gap {{ outline: 2px solid #333 }}
@media (prefers-color-scheme: dark) {{ body {{ color: #e8e8e8; background: #16181b }}
  .doubt {{ background: #4a3f14 }} sup {{ color: #bbb }} .gap {{ outline-color: #ddd }}
  mark {{ filter: brightness(.55) saturate(1.6) }} mark * {{ filter: none }} }}
</style></head><body>
<h1>Audit of {name}, {split}</h1>
<p>{documents} documents drawn at random: {entities:,} entities, {doubts:,} things to look at in
{doubtful} of them. The same colour is the same marker.</p>
{body}
</body></html>
"""


def page(name: str, split: str, looked: Iterable[Looked]) -> str:
    """One self-contained HTML page."""
    documents = list(looked)
    return _PAGE.format(
        name=escape(name),
        split=escape(split),
        documents=len(documents),
        entities=sum(len(each.document.entities) for each in documents),
        doubts=sum(len(each.doubts) for each in documents),
        doubtful=sum(bool(each.doubts) for each in documents),
        body="\n".join(_section(each) for each in documents),
    )


def _section(looked: Looked) -> str:
    document = looked.document
    doubts = "".join(f'<p class="doubt">{escape(doubt.why)}</p>' for doubt in looked.doubts)
    rows = "".join(
        f"<tr><td>{_mark(entity.name, entity.marker)}</td><td>{escape(entity.type)}</td>"
        f"<td>{looked.counts[entity.marker]}</td>"
        f"<td>{escape(', '.join(s for s in entity.surfaces if s != entity.name))}</td></tr>"
        for entity in sorted(document.entities, key=lambda e: -looked.counts[e.marker])
    )
    questions = "".join(f"<li>{_question(question)}</li>" for question in looked.questions)
    opened = " open" if looked.doubts else ""
    return (
        f"<details{opened}><summary><b>{escape(document.id)}</b> · {len(document.entities)} "
        f"entities · {len(looked.questions)} questions · {len(looked.doubts)} to look at</summary>"
        f"{doubts}<table><tr><th>name</th><th>type</th><th>times</th><th>also</th></tr>{rows}"
        f"</table><details><summary>text</summary><p>{''.join(_text(document.context))}</p>"
        f"<ul>{questions}</ul></details></details>"
    )


def _question(question: Question) -> str:
    return "".join(_text(question.query, question.answer))


def _text(text: Text, gap: int = -1) -> Iterator[str]:
    for surface, marker, after in text.words():
        if marker >= 0:
            yield _mark(surface, marker)
        elif marker == THE_GAP:
            yield _mark(surface, gap, "gap")
        else:
            yield escape(surface)
        yield after.replace("\n\n", "</p><p>")


def _mark(surface: str, marker: int, kind: str = "") -> str:
    hue = marker * 137 % 360  # the golden angle keeps neighbours apart
    return (
        f'<mark class="{kind}" style="background:hsl({hue} 70% 82%)">{escape(surface)}'
        f"<sup>{marker}</sup></mark>"
    )
