"""Stories read out of web pages: done once, by the survey, since it is slow and has a time limit.

They are kept in the store, together with what the pages of each host gave.
"""

import gzip
import json
from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import asdict

from cloze.builder.hosts import Hosts
from cloze.builder.sharded.plan import Plan
from cloze.builder.sharded.sealed_files import bytes_of, json_of, put_bytes, put_json
from cloze.stories import Reject, Story

Found = Iterator[tuple[int, Story | Reject]]


def kept(plan: Plan, part: int, found: Found) -> Found:
    """Pass everything on and leave the stories in the store."""
    hosts = Hosts()
    lines: list[str] = []
    for number, story in found:
        hosts.count(story)
        if isinstance(story, Story):
            lines.append(json.dumps([number, asdict(story)]))
        yield number, story
    put_bytes(plan.store, _stories(part), gzip.compress("\n".join(lines).encode(), mtime=0))
    put_json(plan.store, _hosts(part), hosts.as_json())


def are_kept(plan: Plan, part: int) -> bool:
    return plan.store.has(_stories(part))


def read_kept(plan: Plan, part: int, wanted: Container[int]) -> Found:
    for line in gzip.decompress(bytes_of(plan.store, _stories(part))).splitlines():
        number, about = json.loads(line)
        if number in wanted:
            yield number, Story(**about | {"highlights": tuple(about["highlights"])})


def all_hosts(plan: Plan) -> Hosts:
    hosts = Hosts()
    for name in sorted(plan.store.names("hosts")):
        for host, counts in json_of(plan.store, f"hosts/{name}").items():
            hosts.counts.setdefault(host, Counter()).update(counts)
    return hosts


def _stories(part: int) -> str:
    return f"pages/{part:05d}.jsonl.gz"


def _hosts(part: int) -> str:
    return f"hosts/{part:05d}.json"
