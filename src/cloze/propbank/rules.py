"""Arguments by plain rules over the dependencies: what the trained models have to beat."""

from typing import TYPE_CHECKING

from cloze.propbank.frame import Argument

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


def arguments(doc: "Doc", predicate: int) -> tuple[Argument, ...]:
    """ARG0 is the subject, ARG1 the object; the passive and "to be" turn them round."""
    verb = doc[predicate]
    of = {child.dep_: child for child in reversed(list(verb.children))}
    subject = of.get("nsubj") or of.get("csubj") or of.get("nsubjpass") or of.get("csubjpass")
    passive = "auxpass" in of or (verb.tag_ == "VBN" and verb.dep_ == "acl")
    if subject is None:
        subject = _shared_subject(verb)
    elif subject.tag_ in ("WDT", "WP") and verb.dep_ == "relcl":
        subject = verb.head
    found: dict[str, Token | None] = {}
    if verb.lemma_ == "be":
        found["ARG1"] = of.get("attr") if "expl" in of else subject
    elif passive:
        found["ARG1"], found["ARG0"] = subject, of.get("agent")
    else:
        found["ARG0"] = subject
        found["ARG1"] = of.get("dobj") or of.get("ccomp") or of.get("xcomp")
    return tuple(
        Argument(label, *_span(doc, head, predicate))
        for label, head in found.items()
        if head is not None
    )


def _shared_subject(verb: "Token") -> "Token | None":
    """The subject of the verb that this one is joined to, or the noun that it describes."""
    if verb.dep_ in ("acl", "relcl"):
        return verb.head
    at = verb
    while at.dep_ in ("conj", "xcomp"):
        at = at.head
        for child in at.children:
            if child.dep_ in ("nsubj", "nsubjpass"):
                return child
    return None


def _span(doc: "Doc", head: "Token", predicate: int) -> tuple[int, int]:
    """Everything below the head except the clause of the predicate, and without commas."""
    inside = {token.i for token in head.subtree}
    for child in head.children:
        below = {token.i for token in child.subtree}
        if predicate in below:
            inside = {i for i in inside - below if child.i < head.i or i < child.i}
    start, end = min(inside), max(inside) + 1
    while start < head.i and doc[start].is_punct:
        start += 1
    while end - 1 > head.i and doc[end - 1].is_punct:
        end -= 1
    return start, end
