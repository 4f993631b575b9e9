"""Killed at random moments and started again, nothing that had arrived is asked for again."""

import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from tests.builder.pages import written
from tests.fetching.loopback import Page, Site
from tests.fetching.test_fetch import EVERYTHING, records

PAGES, KILLS = 60, 4
HOSTS = ("127.0.0.1", "127.0.0.2", "127.0.0.3")


def site(path: str, before: int) -> Page:
    if path == "/robots.txt":
        return Page(EVERYTHING)
    if path.endswith("7"):
        return Page("", "302 Found", {"Location": f"{path}-moved"})
    return Page(written.cnn_2015())


def test_kill_9_at_random_moments(tmp_path: Path) -> None:
    moments = random.Random(7)
    with Site(site, HOSTS) as server:
        addresses = [f"http://{HOSTS[n % 3]}:{server.port}/{n}" for n in range(PAGES)]
        (tmp_path / "urls.txt").write_text("\n".join(addresses))
        words = [
            *(sys.executable, "-m", "cloze", "fetch", "urls.txt", "out", "--allow-local"),
            *("--contact", "tests@example.org", "--every", "0"),
        ]
        for kill in range(1, KILLS + 1):
            process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL)
            while server.delivered.total() < kill * PAGES // (KILLS + 1):
                assert process.poll() is None
                time.sleep(0.001)
            time.sleep(moments.uniform(0, 0.01))
            process.kill()
            process.wait()
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert f"{PAGES} fetched" in done.stdout
        again = Counter({path: count - 1 for path, count in server.delivered.items()})
    assert again.total() <= KILLS * len(HOSTS)  # what was under way: one request for each host
    assert sorted(address for _, address, _ in records(tmp_path / "out")) == sorted(addresses)
