"""A small Hub on this machine, spoken to by the real client, `huggingface_hub`.

    python -m tests.hub_server PORT_FILE     serves until it is ended, and writes its port to a file

It keeps repositories in memory and knows what publishing and fetching need: creating a repository,
committing files, listing them, and giving them out.
"""

import base64
import hashlib
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

REPOSITORIES: dict[str, dict[str, bytes]] = {}


class Hub(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/api/repos/create":
            asked = json.loads(body)
            name = f"{asked['organization']}/{asked['name']}"
            REPOSITORIES.setdefault(name, {})
            self._say({"url": f"{self._own}/{name}", "name": name, "id": name})
        elif self.path == "/api/validate-yaml":
            self._say({"errors": [], "warnings": []})
        elif "/preupload/" in self.path:
            files = json.loads(body)["files"]
            told = [
                {"path": file["path"], "uploadMode": "regular", "shouldIgnore": False}
                for file in files
            ]
            self._say({"files": told})
        elif "/commit/" in self.path:
            name = self._repository
            for line in map(json.loads, body.decode().splitlines()):
                if line["key"] == "file":
                    content = base64.b64decode(line["value"]["content"])
                    REPOSITORIES[name][line["value"]["path"]] = content
            commit = revision(name)
            url = f"{self._own}/{name}/commit/{commit}"
            self._say({"success": True, "commitOid": commit, "commitUrl": url})
        else:
            self._say({"error": self.path}, 501)

    def do_GET(self) -> None:
        if self.path.startswith("/api/models/"):
            name = self._repository
            if name not in REPOSITORIES:
                self._say({"error": "Repository not found"}, 404, {"X-Error-Code": "RepoNotFound"})
                return
            files = REPOSITORIES[name]
            if "/tree/" in self.path:
                self._say([_listed(path, content) for path, content in files.items()])
                return
            siblings = [{"rfilename": path} for path in files]
            self._say({"id": name, "modelId": name, "sha": revision(name), "siblings": siblings})
        else:
            self._give()

    def do_HEAD(self) -> None:
        self._give()

    def _give(self) -> None:
        """/somebody/reader/resolve/REVISION/config.json"""
        parts = self.path.lstrip("/").split("/", 4)
        if len(parts) < 5:
            self._say({"error": self.path}, 404)
            return
        organisation, name, _, commit, path = parts
        content = REPOSITORIES[f"{organisation}/{name}"][path]
        self._answer(content, 200, {"ETag": f'"{_hash(content)}"', "X-Repo-Commit": commit})

    @property
    def _own(self) -> str:
        return f"http://{self.headers['Host']}"

    @property
    def _repository(self) -> str:
        return "/".join(self.path.split("?")[0].split("/")[3:5])

    def _say(self, what: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        said = {"Content-Type": "application/json"} | (headers or {})
        self._answer(json.dumps(what).encode(), status, said)

    def _answer(self, content: bytes, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(content))}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _listed(path: str, content: bytes) -> dict[str, Any]:
    return {"type": "file", "path": path, "size": len(content), "oid": _hash(content)}


def _hash(content: bytes) -> str:
    return hashlib.sha1(content).hexdigest()


def revision(name: str) -> str:
    """Changes with the files, as a commit's number does."""
    return _hash(repr(sorted(REPOSITORIES[name].items())).encode())


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    Path(sys.argv[1]).write_text(str(server.server_port))
    server.serve_forever()


if __name__ == "__main__":
    main()
