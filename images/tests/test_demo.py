"""The demo's experiments through docker-compose.yml, on the testbed: `make compose-demo`."""

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from bench import testbed
from images.tests.compose import PROJECT, Compose

pytestmark = [pytest.mark.compose_demo, pytest.mark.timeout(3000)]

URL = "http://127.0.0.1:8080"


def test_the_demo_runs_to_links_that_anybody_opens(compose: Compose) -> None:
    subprocess.run(["make", "env"], cwd=compose.clone, check=True, env=compose.environment)
    compose.run("up", "--detach", "--wait", timeout=1500)
    demo = subprocess.run(
        [Path(sys.executable).with_name("podmeter"), "demo"],
        cwd=PROJECT,
        env={
            **os.environ,
            "PODMETER_HOST": "127.0.0.1",
            "PODMETER_PORT": "8080",
            "PODMETER_ADMIN_PASSWORD": compose.secret("admin_password"),
            "KUBECONFIG": str(testbed.KUBECONFIG),
            "KUBECTL": " ".join(testbed.KUBECTL),
            "ALLOW_MODE_SWITCH": "1",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    print(demo.stdout)
    assert demo.returncode == 0, demo.stderr[-3000:]
    links = re.findall(rf"{URL}\S+", demo.stdout.partition("To be opened in a browser")[2])
    shared = [one for one in links if one.rstrip(";") != URL]
    assert len(shared) == 2
    for link in shared:
        answer = httpx.get(link)
        assert answer.is_success
        assert "text/html" in answer.headers["content-type"]
