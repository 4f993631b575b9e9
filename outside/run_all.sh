#!/bin/sh
# Each tool in an environment of its own, made from its lock, which names everything; then whatever its `run` checks.
#     sh outside/run_all.sh lm_eval inspect
set -e
cd "$(dirname "$0")"
PATH="$(cd ../.venv/bin && pwd):$PATH"  # for the command cloze
export PATH HF_HUB_OFFLINE=1 HF_DATASETS_OFFLINE=1
for tool in "$@"; do
  echo "== $tool"
  if [ ! -f "$tool/.venv/installed" ] || [ "$tool/requirements.lock" -nt "$tool/.venv/installed" ]; then
    python3 -m venv "$tool/.venv"
    "$tool/.venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -r "$tool/requirements.lock"
    touch "$tool/.venv/installed"
  fi
  sh "$tool/run"
done
