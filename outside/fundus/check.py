"""A page of a publisher that Fundus knows, and one that it does not, made into a corpus.

python check.py PYTHON-WITH-FUNDUS FOLDER
"""

import subprocess
import sys
from pathlib import Path

from cloze.corpus.store import Corpus
from cloze.fetching.client import Got
from cloze.fetching.warcs import page_record

BULLETS = ["Mara Venn closed the harbour on Monday", "Norlund cancelled all its trips"]
TEXT = "A storm hit the harbour, and Mara Venn closed it. Norlund cancelled trip number"
PARAGRAPHS = "".join(f"<p>{TEXT} {number} of the night.</p>" for number in range(6))
ITEMS = "".join(f"<li>{bullet}</li>" for bullet in BULLETS)
KNOWN = f"""<html><head><title>Storm</title></head><body><h1>Storm over the bay</h1>
<div class="RenderKeyPoints-list"><ul>{ITEMS}</ul></div>
<div data-module="ArticleBody"><div class="group">{PARAGRAPHS}</div></div>
<div class="promo"><p>Subscribe to our letter about Kestrel Bay, which has all the news.</p></div>
</body></html>"""
UNKNOWN = f"""<html><head><title>Storm</title></head><body><article><h1>Storm over the bay</h1>
<ul class="highlights">{ITEMS}</ul>{PARAGRAPHS}</article></body></html>"""


def warc(path: Path) -> None:
    pages = {"https://www.cnbc.com/2024/03/09/storm.html": KNOWN, "https://x.example/s": UNKNOWN}
    headers = [("Content-Type", "text/html; charset=utf-8")]
    got = [Got(url, 200, "OK", headers, html.encode()) for url, html in pages.items()]
    path.write_bytes(b"".join(page_record(each.url, each) for each in got))


def main() -> None:
    python, folder = sys.argv[1], Path(sys.argv[2])
    warc(folder / "pages.warc.gz")
    words = ["build", f"train={folder / 'pages.warc.gz'}", str(folder / "corpus")]
    options = ["--fundus", python, "--pipeline", "rules:en", "--workers", "1"]
    subprocess.run([sys.executable, "-m", "cloze", *words, *options], check=True)
    points = list(Corpus.open(folder / "corpus").read("train"))
    assert len(points) == 2, len(points)
    for document, questions in points:
        text = " ".join(document.context.surfaces)
        assert text.count("trip number") == 6, text
        assert "Subscribe" not in text
        assert questions, document.url
    absent = subprocess.run(
        [sys.executable, "-m", "cloze", *words, "--overwrite", "--fundus", sys.executable],
        capture_output=True,
        text=True,
    )
    assert absent.returncode == 2, absent
    assert "this Python has no Fundus" in absent.stderr, absent.stderr
    print("fundus: both pages read")


if __name__ == "__main__":
    main()
