"""Machines that share no disk: four processes with sources of their own, and a bucket.

The S3 server is moto's, on this machine. A share is also killed -9, and done again by another.
"""

import hashlib
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import boto3
from botocore.exceptions import ClientError

from cloze.newsroom.corpus import write_raw

STORIES, SHARES = 3000, 4


def cloze(folder, *words):
    given = ["news.jsonl", "corpus", "--spans", "news.gold.jsonl", "--name", "news"]
    command = [sys.executable, "-m", "cloze", "build", *given, "--workers", "1", *words]
    return subprocess.Popen(command, cwd=folder)


def hashes(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def check_conditional_writes(client):
    """What the store relies on: the second of two who write the same name is refused."""
    client.put_object(Bucket="builds", Key="probe", Body=b"one", IfNoneMatch="*")
    try:
        client.put_object(Bucket="builds", Key="probe", Body=b"two", IfNoneMatch="*")
    except ClientError as refused:
        if refused.response["ResponseMetadata"]["HTTPStatusCode"] == 412:
            return
    raise AssertionError("this server does not know conditional writes")


def main(folder):
    machines = [folder / f"machine-{number}" for number in range(SHARES + 1)]
    for machine in machines:
        machine.mkdir()
    write_raw(machines[0] / "news.jsonl", count=STORIES, seed=1)
    for machine in machines[1:]:
        for path in machines[0].iterdir():
            shutil.copyfile(path, machine / path.name)  # the same content, another file
    assert cloze(machines[0]).wait() == 0
    expected = hashes(machines[0] / "corpus")
    store = ["--store", "s3://builds/news"]
    killed = cloze(machines[1], *store, "--shard", f"1/{SHARES}")
    client = boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
    while not any("records/" in each["Key"] for each in listed(client)):
        assert killed.poll() is None, "too quick to be killed"
        time.sleep(0.1)
    killed.kill()
    killed.wait()
    running = [
        cloze(machine, *store, "--shard", f"{number}/{SHARES}")
        for number, machine in enumerate(machines[1:], 1)
        if number > 1
    ]
    assert [each.wait() for each in running] == [0] * (SHARES - 1)
    assert cloze(machines[2], *store, "--shard", "1/1").wait() == 0  # whatever is left
    for _ in range(20):  # the claim of the run that was killed counts for two minutes
        if cloze(machines[3], *store, "--finish").wait() == 0:
            break
        time.sleep(15)
    assert hashes(machines[3] / "corpus") == expected
    assert not [each for each in listed(client) if "records/" in each["Key"]]
    print(f"s3: the same {len(expected)} files as from one process")


def listed(client):
    return client.list_objects_v2(Bucket="builds", Prefix="news/").get("Contents", [])


if __name__ == "__main__":
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    os.environ |= {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    words = [sys.executable, "-m", "moto.server", "-p", str(port)]
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        client = boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
        for _ in range(600):
            try:
                client.create_bucket(Bucket="builds")
                break
            except Exception:
                time.sleep(0.2)
        check_conditional_writes(client)
        main(Path(sys.argv[1]))
    finally:
        server.kill()
