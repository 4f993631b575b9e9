"""A chat server on loopback that knows the answer to every question of an exported folder.

knows.py FOLDER PORT_FILE
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ANSWERS: dict[str, str] = {}


class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        content = body["messages"][-1]["content"]
        text = content if isinstance(content, str) else content[0]["text"]
        message = {"role": "assistant", "content": ANSWERS[text.strip()]}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        reply = json.dumps({"choices": [choice], "model": body["model"]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_: object) -> None:
        pass


def main(folder: Path, port_file: Path) -> None:
    sys.path.append(str(folder))
    import cloze_task

    for path in (folder / "data").glob("*.jsonl"):
        if not path.stem.endswith("-examples"):
            for question in cloze_task.questions(path.stem):
                ANSWERS[cloze_task.chat(question)] = question["answer"]
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        port_file.write_text(str(server.server_port))
        server.serve_forever()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
