"""A Dask cluster of two nodes with two workers each, and what may happen to it."""

import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "clusters"))
import check


class Cluster:
    def __init__(self, folder):
        self.folder, self.port = folder, check.free_port()
        self.scheduler = self._scheduler()
        self.nodes = [self._node(), self._node()]

    def _scheduler(self):
        words = ["--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard"]
        return self._start("scheduler", *words)

    def _node(self):
        words = ["--nworkers", "2", "--nthreads", "1", "--no-dashboard", "--memory-limit", "0"]
        local = ["--local-directory", str(self.folder / "scratch")]
        return self._start("worker", f"tcp://127.0.0.1:{self.port}", *words, *local)

    def _start(self, what, *words):
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *words]
        with open(self.folder / f"{what}.log", "a") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)

    def kill_worker(self, _):
        """One of the four; its nanny starts another."""
        return check.kill_one([node.pid for node in self.nodes], check.is_spawned)

    def replace_node(self, strikes):
        """A whole node killed, later a new one joined; only now and then."""
        if strikes >= 2:
            return False
        check.kill_with_children(self.nodes.pop(0))
        time.sleep(check.EVERY)
        self.nodes.append(self._node())
        return True

    def restart_scheduler(self, strikes):
        """The scheduler with all it knows, and the nodes, which cannot live without it."""
        if strikes >= 1:
            return False
        for process in (self.scheduler, *self.nodes):
            check.kill_with_children(process)
        time.sleep(check.EVERY)
        self.scheduler = self._scheduler()
        self.nodes = [self._node(), self._node()]
        return True

    def end(self):
        for process in (*self.nodes, self.scheduler):
            check.kill_with_children(process)


def main(folder, *chosen):
    """All that may happen, or what was chosen."""
    check.prepare(folder)
    cluster = Cluster(folder)
    address = f"dask://127.0.0.1:{cluster.port}"
    cases = {
        "dask": lambda name: check.calm(folder, name, address),
        "dask-workers-killed": lambda name: check.struck(
            folder, name, address, cluster.kill_worker
        ),
        "dask-node-killed": lambda name: check.struck(folder, name, address, cluster.replace_node),
        "dask-driver-killed": lambda name: check.driver_killed(folder, name, address),
        "dask-scheduler-restarted": lambda name: check.struck(
            folder, name, address, cluster.restart_scheduler
        ),
    }
    try:
        check.run_all(folder, cases, chosen)
    finally:
        cluster.end()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
