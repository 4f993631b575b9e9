"""The OpenAPI description against the running server: schemathesis must find nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import get

pytest.importorskip("schemathesis")


def test_schemathesis_finds_nothing(address: str, tmp_path: Path) -> None:
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        "run",
        f"{address}/openapi.json",
        "--max-examples=25",
        "--generation-deterministic",
        "--no-color",
    ]
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_description_is_exact(address: str) -> None:
    described = get(f"{address}/openapi.json").json()
    assert sorted(described["paths"]) == ["/api/examples", "/api/models", "/api/read"]
    read = described["paths"]["/api/read"]["post"]
    assert sorted(read["responses"]) == ["200", "400", "404", "408", "413", "422", "503"]
    for status, response in read["responses"].items():
        schema = response["content"]["application/json"]["schema"]["$ref"]
        assert schema.endswith("ReadResponse" if status == "200" else "Problem")
    for name, schema in described["components"]["schemas"].items():
        assert schema["additionalProperties"] is False, name
        if name != "ReadRequest":
            assert sorted(schema["required"]) == sorted(schema["properties"]), name
