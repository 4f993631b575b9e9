"""A Ray cluster of two nodes with two workers each, and what may happen to it."""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "clusters"))
import check

# A busy machine takes longer to start, and to say that it is alive, than Ray waits by default.
for name in ("raylet_start_wait_time_s", "worker_register_timeout_seconds"):
    os.environ.setdefault(f"RAY_{name}", "600")
os.environ.setdefault("RAY_health_check_failure_threshold", "50")
os.environ.setdefault("RAY_worker_niceness", "0")  # by default 15: they would wait for all others


def is_worker(words):
    """Ray renames its workers after what they do; without its agents a whole node would be lost."""
    return words.startswith("ray::") and "Agent" not in words


def main(folder, *chosen):
    from ray.cluster_utils import Cluster

    check.prepare(folder)
    port = check.free_port()
    how = {"num_cpus": 2, "include_dashboard": False, "ray_client_server_port": port}
    cluster = Cluster(initialize_head=True, head_node_args=how)
    client = f"ray://{cluster.head_node.node_ip_address}:{port}"  # as from another machine
    nodes = [cluster.add_node(num_cpus=2)]
    os.environ["RAY_ADDRESS"] = cluster.address

    def kill_worker(_):
        return check.kill_one([os.getpid()], is_worker)

    def replace_node(strikes):
        if strikes >= 2:
            return False
        cluster.remove_node(nodes.pop(), allow_graceful=False)
        time.sleep(check.EVERY)
        nodes.append(cluster.add_node(num_cpus=2))
        return True

    cases = {
        "ray": lambda name: check.calm(folder, name, "ray"),
        "ray-client": lambda name: check.calm(folder, name, client),
        "ray-workers-killed": lambda name: check.struck(folder, name, "ray", kill_worker),
        "ray-node-killed": lambda name: check.struck(folder, name, "ray", replace_node),
        "ray-driver-killed": lambda name: check.driver_killed(folder, name, "ray"),
    }
    try:
        check.run_all(folder, cases, chosen)
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
