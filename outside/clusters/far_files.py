"""Files that are far away, far:///folder: every operation waits, as on a bucket elsewhere.

FAR_SECONDS says how long. A whole file appears at once, and only one of two who make it succeeds.
"""

import os
import secrets
import time

import fsspec
from fsspec.implementations.local import LocalFileSystem

SECONDS = float(os.environ.get("FAR_SECONDS", "0"))


class FarFiles(LocalFileSystem):
    protocol = "far"

    @classmethod
    def _strip_protocol(cls, path):
        return str(path).removeprefix("far://").rstrip("/")

    def exists(self, path, **_):
        time.sleep(SECONDS)
        return os.path.exists(self._strip_protocol(path))

    def ls(self, path, detail=False, **_):
        time.sleep(SECONDS)
        path = self._strip_protocol(path)
        return [f"{path}/{name}" for name in os.listdir(path) if not name.startswith(".")]

    def cat_file(self, path, start=None, end=None, **_):
        time.sleep(SECONDS)
        with open(self._strip_protocol(path), "rb") as file:
            file.seek(start or 0)
            return file.read(-1 if end is None else end - (start or 0))

    def pipe_file(self, path, value, mode="overwrite", **_):
        time.sleep(SECONDS)
        path = self._strip_protocol(path)
        folder, name = os.path.split(path)
        os.makedirs(folder, exist_ok=True)
        temporary = f"{folder}/.{name}.{secrets.token_hex(4)}"
        with open(temporary, "wb") as file:
            file.write(value)
        if mode == "create":
            try:
                os.link(temporary, path)
            finally:
                os.unlink(temporary)
        else:
            os.replace(temporary, path)


fsspec.register_implementation("far", FarFiles, clobber=True)
