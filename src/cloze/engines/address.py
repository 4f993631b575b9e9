"""The engine that `--on` names."""

from cloze.engines.dask_cluster import on_dask
from cloze.engines.engine import Engine
from cloze.engines.processes import on_processes
from cloze.engines.ray_cluster import on_ray
from cloze.errors import UserError

ADDRESSES = "processes, dask://HOST:PORT, ray or ray://HOST:PORT"


def engine_at(address: str, workers: int) -> Engine:
    """`workers` counts only for those on this machine; 0: one for each core."""
    kind, _, host = address.partition("://")
    if address == "processes":
        return on_processes(workers)
    if address == "ray" or (kind == "ray" and host):
        return on_ray(address if host else None, workers)
    if kind == "dask" and host:
        return on_dask(f"tcp://{host}")
    raise UserError(f"'{address}' is nothing to run on", fix=f"give {ADDRESSES}")
