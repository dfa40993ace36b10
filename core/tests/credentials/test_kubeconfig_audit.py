"""No bad kubeconfig makes the sanitizer run a program, open a file or open a connection."""

import glob
import json
import os
import subprocess
import sys
from pathlib import Path

from .kubeconfig_cases import CASES
from .kubeconfig_maker import CANARY

HERE = Path(__file__).parent


def test_the_audit_hook_sees_nothing():
    done = subprocess.run(
        [sys.executable, "-m", "credentials.audited_sanitizer"],
        cwd=HERE.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["seen"] == []
    assert report["refused"] == len(CASES)
    # What the hook would have seen, had there been anything to see.
    assert {"open", "subprocess.Popen", "socket.__new__"} <= set(report["control"])
    assert CANARY not in done.stdout + done.stderr
    assert glob.glob(f"/tmp/{CANARY}*") == []
