"""Pages and cards, filled in from the Jinja2 templates in the package.

    render("reporting", "report.html", title="A < B")

fills in src/cloze/reporting/templates/report.html. In .html every value is escaped. In .md nothing
is: there a name goes through the filter `line`, and a value of the YAML head through `tojson`.
A name that a template uses but the caller does not give is an error.
"""

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from cloze.tables import as_markdown, markdown_text


def render(room: str, template: str, **values: Any) -> str:
    return _environment(room).get_template(template).render(values)


def as_it_is(room: str, *names: str) -> Markup:
    """Style sheets and scripts, one after the other, to go into a page as they are."""
    folder = files(f"cloze.{room}") / "templates"
    return Markup("".join((folder / name).read_text(encoding="utf-8") for name in names))


@cache
def _environment(room: str) -> Environment:
    environment = Environment(
        loader=PackageLoader(f"cloze.{room}"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"line": markdown_text, "table": as_markdown}
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
    return environment
