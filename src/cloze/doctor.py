"""What this installation would use, and why not something faster: for `cloze doctor`."""

import importlib.util
import os
import platform
import re
from collections import defaultdict
from collections.abc import Iterator
from importlib import metadata

import torch

from cloze.extras import install
from cloze.readers import eight_bits, quick_layer
from cloze.readers.device import choose_device
from cloze.recurrence import choices
from cloze.version import __version__

SLOW = "a loop over the equations, the slowest"


def findings(hidden: int) -> Iterator[tuple[str, str]]:
    """Lines of what was looked at and what was found."""
    yield "cloze-reader", f"{__version__}, Python {platform.python_version()}"
    yield "PyTorch", f"{torch.__version__}, {torch.get_num_threads()} threads"
    device = choose_device("auto")
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else platform.machine()
    yield "device", f"{device.type} ({name}){_why_no_gpu()}"
    for dtype in (torch.float32, torch.bfloat16):
        yield f"recurrence, {str(dtype)[6:]}", recurrence(device, hidden, dtype)
    yield "Encoder Reader, CPU", products()
    yield "waiting threads", _waiting()
    yield from extras()


def recurrence(device: torch.device, hidden: int, dtype: torch.dtype) -> str:
    """The implementation that runs, and why each faster one does not."""
    reasons: list[str] = []
    for name, reason in choices(device, hidden, dtype):
        if reason is None:
            return "; ".join([name, *reasons])
        reasons.append(f"not {name}: {reason}")
    return "; ".join([f"reference ({SLOW})", *reasons])


def products() -> str:
    """What an Encoder Reader multiplies in where it answers on this CPU."""
    if (reason := eight_bits.why_not()) is not None:
        return f"float32; not int8: {reason}"
    return f"{quick_layer.described()}; float32 with --exact"


def _why_no_gpu() -> str:
    if torch.cuda.is_available():
        return ""
    built = torch.version.cuda or torch.version.hip
    return "; no GPU was found" if built else "; this PyTorch is built for CPUs only"


def _waiting() -> str:
    policy = os.environ.get("OMP_WAIT_POLICY")
    return f"OMP_WAIT_POLICY={policy}" if policy else (
        f"spin {os.environ.get('GOMP_SPINCOUNT', 'for milliseconds')} times, then sleep"
    )  # fmt: skip


def extras() -> Iterator[tuple[str, str]]:
    """Each group of optional packages: installed, or what is missing and how to get it."""
    try:
        requirements = metadata.requires("cloze-reader") or []
    except metadata.PackageNotFoundError:  # run from its sources, without an installation
        yield "extras", "unknown: cloze-reader is not installed, only on the path"
        return
    wanted: dict[str, list[str]] = defaultdict(list)
    for line in requirements:
        extra = re.search(r"extra == ['\"]([\w-]+)['\"]", line)
        package = re.match(r"[\w.-]+", line)
        if extra and package and package[0] != "cloze-reader":
            wanted[extra[1]].append(package[0])
    for name, packages in sorted(wanted.items()):
        missing = [package for package in packages if not _installed(package)]
        said = f"lacks {', '.join(missing)}; run: {install(name)}" if missing else "installed"
        yield f"extra [{name}]", said


def _installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return importlib.util.find_spec(package.replace("-", "_")) is not None
    return True
