"""What went into a build and what came out; the counts add up."""

from collections import Counter
from dataclasses import dataclass, field

from cloze.builder.hosts import HOSTS, Hosts
from cloze.corpus.store import Corpus
from cloze.errors import UserError
from cloze.stories import Reason

NO_SPLIT = "none"  # counts rejects that were never assigned to a split


@dataclass(slots=True)
class Report:
    """What went in and what came out; `check` compares the two."""

    stories: int = 0
    documents: Counter[str] = field(default_factory=Counter)
    questions: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    rejects: dict[str, Counter[Reason]] = field(default_factory=dict)
    unanswerable: Counter[str] = field(default_factory=Counter)
    hosts: Hosts = field(default_factory=Hosts)

    @classmethod
    def of(cls, corpus: Corpus) -> "Report":
        """What an existing corpus says about itself (all but the tokens)."""
        report = cls()
        for split in corpus.splits:
            report.documents[split] = corpus.count(split, "documents")
            report.questions[split] = corpus.count(split)
        for split, counts in corpus.manifest.get("rejects", {}).items():
            if odd := counts.keys() - set(Reason):
                raise UserError(f"'{min(odd)}' is no reason for a reject", where=corpus.path)
            reasons = Counter({Reason(reason): count for reason, count in counts.items()})
            report.unanswerable[split] = reasons.pop(Reason.UNANSWERABLE, 0)
            report.rejects[split] = reasons
        report.stories = report.documents.total() + report.rejected
        if (corpus.path / HOSTS).is_file():
            report.hosts = Hosts.read(corpus.path / HOSTS)
        return report

    @property
    def rejected(self) -> int:
        return sum(reasons.total() for reasons in self.rejects.values())

    def reject(self, split: str, reason: Reason) -> None:
        self.rejects.setdefault(split, Counter())[reason] += 1

    def table(self) -> str:
        """The counts for people: what went in, what came out, what was rejected and why."""
        lines = [f"{self.stories:>9,} stories in"]
        for split in sorted(self.documents):
            lines.append(
                f"{self.documents[split]:>9,} documents out in {split}, "
                f"with {self.questions[split]:,} questions"
            )
        for split in sorted(self.rejects):
            for reason, count in sorted(self.rejects[split].items()):
                where = "" if split == NO_SPLIT else f" ({split})"
                lines.append(f"{count:>9,} stories rejected: {reason}{where}")
        for split in sorted(self.unanswerable):
            count = self.unanswerable[split]
            lines.append(f"{count:>9,} questions dropped: answer not in the context ({split})")
        if self.hosts.counts:
            lines += ["", self.hosts.table()]
        return "\n".join(lines)

    def check(self) -> None:
        out = self.documents.total() + self.rejected
        if self.stories != out:
            raise AssertionError(f"{self.stories} stories went in, {out} came out or were rejected")

    def left_out(self) -> dict[str, dict[str, int]]:
        """The counts by split and reason, as the corpus's manifest keeps them."""
        splits = sorted({*self.rejects, *(s for s, n in self.unanswerable.items() if n)})
        counts: dict[str, dict[str, int]] = {
            split: dict(sorted(self.rejects.get(split, {}).items())) for split in splits
        }
        for split, count in self.unanswerable.items():
            if count:
                counts[split][Reason.UNANSWERABLE] = count
        return counts

    def nothing_came_out(self) -> UserError:
        """What to tell the user when no story became a document."""
        reasons: Counter[Reason] = sum(self.rejects.values(), Counter())
        told = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common())
        fix = None
        if Reason.NO_ARTICLE in reasons or Reason.NO_HIGHLIGHTS in reasons:
            fix = "say what the columns are called: --columns article=COLUMN,highlights=COLUMN"
        return UserError(
            f"of {self.stories:,} stories none became a document ({told or 'there are none'})",
            fix=fix,
        )
