"""Arrays (.npy) and tensors (.safetensors) whose heads lie, or whose numbers are out of range."""

import io
import json
from random import Random
from zipfile import ZipFile

import numpy as np

from tests.torture.mutated_json import json_changed
from tests.torture.mutations import NUMBERS, bytes_changed

_HEADS = (
    *("{}", "", "[", "None", "{'descr': '|O', 'fortran_order': False, 'shape': (3,)}"),
    "{'descr': '<i4', 'fortran_order': False, 'shape': (1073741824,)}",
    "{'descr': '<i8', 'fortran_order': True, 'shape': (2, 2)}",
    "{'descr': '<i4', 'fortran_order': False, 'shape': (-1,)}",
    "{'descr': '<i4', 'fortran_order': False, 'shape': (True,)}",
    "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}",
    "{'descr': '<i4', 'fortran_order': False, 'shape': 9" + "9" * 4500 + "}",
    "(" * 3000,
)
_TYPES = (np.int8, np.int32, np.int64, np.uint64, np.float32, np.float64, np.bool_)


def array_changed(content: bytes, random: Random) -> bytes:
    array = np.load(io.BytesIO(content))
    match random.randrange(6):
        case 0:
            return _with_head(content, random.choice(_HEADS).encode())
        case 1:
            return _saved(array.astype(random.choice(_TYPES)))
        case 2:
            return _saved(random.choice((array[:-1], array[:0], np.append(array, array[:1]))))
        case 3:
            return _saved(array.reshape(1, -1) if random.random() < 0.5 else array[::-1])
        case 4:
            return bytes_changed(content, random)
        case _:
            return _saved(_with_odd_number(array, random))


def _with_odd_number(array: np.ndarray, random: Random) -> np.ndarray:
    array = array.copy()
    if len(array):
        bounds = np.iinfo(array.dtype)
        value = random.choice((*NUMBERS, -1, int(array.max()) + 1, int(array.min()) - 1))
        array[random.randrange(len(array))] = min(max(value, bounds.min), bounds.max)
    return array


def _saved(array: np.ndarray) -> bytes:
    whole = io.BytesIO()
    np.save(whole, array)
    return whole.getvalue()


def _with_head(content: bytes, head: bytes) -> bytes:
    size = int.from_bytes(content[8:10], "little")
    return content[:8] + len(head).to_bytes(2, "little") + head + content[10 + size :]


def zipped_arrays_changed(content: bytes, random: Random) -> bytes:
    """One array of an .npz is another, or lost; or any byte."""
    if random.random() < 0.3:
        return bytes_changed(content, random)
    with ZipFile(io.BytesIO(content)) as archive:
        arrays = {name: archive.read(name) for name in archive.namelist()}
    name = random.choice(list(arrays))
    arrays[name] = array_changed(arrays[name], random)
    if random.random() < 0.05:
        del arrays[name]
    whole = io.BytesIO()
    with ZipFile(whole, "w") as archive:
        for each, changed in arrays.items():
            archive.writestr(each, changed)
    return whole.getvalue()


def tensors_changed(content: bytes, random: Random) -> bytes:
    """The head in JSON is spoilt and its length is right, or some byte is another."""
    if random.random() < 0.3:
        return bytes_changed(content, random)
    size = int.from_bytes(content[:8], "little")
    head, data = content[8 : 8 + size], content[8 + size :]
    head = _other_type(head, random) if random.random() < 0.3 else json_changed(head, random)
    if random.random() < 0.2:
        data = data[: random.randrange(len(data) + 1)]
    return len(head).to_bytes(8, "little") + head + data


def _other_type(head: bytes, random: Random) -> bytes:
    tensors = json.loads(head)
    name = random.choice([each for each in tensors if each != "__metadata__"])
    tensors[name]["dtype"] = random.choice(("I32", "F16", "BF16", "BOOL", "F64", "U8", "F8_E4M3"))
    shape = tensors[name]["shape"]
    tensors[name]["shape"] = random.choice((shape, shape[::-1], [*shape, 1], [1, *shape]))
    return json.dumps(tensors).encode()
