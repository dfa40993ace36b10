"""The testbed's own kernel: its source, its configuration, and running commands in it."""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from podmeter_testbed import kernel, lifecycle, remote, requirements
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.layout import KERNEL_CONFIG, Layout
from podmeter_testbed.settings import Kernel
from podmeter_testbed.shell import run, wait_for

Client = Callable[..., list[str]]


def test_the_wanted_series_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "SERIES", (7, 2))
    there = ["linux-source-7.10", "linux-source-7.2", "linux-source-6.12", "linux-source"]
    assert kernel.choose(there) == "linux-source-7.2"


def test_the_next_series_is_taken_where_the_wanted_one_is_gone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kernel, "SERIES", (7, 2))
    there = ["linux-source-7.10", "linux-source-7.4", "linux-source-6.12"]
    assert kernel.choose(there) == "linux-source-7.4"
    assert "linux-source-7.4 is taken" in capsys.readouterr().out
    with pytest.raises(TestbedError, match=r"7\.2 or newer"):
        kernel.choose(["linux-source-6.12"])


def test_what_a_source_does_not_grant_is_named() -> None:
    wanted = "# why\nCONFIG_IP_VS=y\nCONFIG_VXLAN=y\n# CONFIG_MODULES is not set\n"
    granted = "CONFIG_IP_VS=y\n# CONFIG_VXLAN is not set\n"
    assert kernel.not_granted(wanted, granted) == ["CONFIG_VXLAN=y"]
    assert kernel.not_granted(wanted, f"{wanted}CONFIG_MODULES=y\n") == ["no CONFIG_MODULES"]
    assert kernel.not_granted(wanted, wanted) == []


@pytest.mark.parametrize(
    "name",
    ["IP_VS", "IP_VS_RR", "NET_IPIP", "WIREGUARD", "GENEVE", "NET_SCH_NETEM", "NF_TABLES_IPV4"],
)
def test_what_this_machine_may_lack_is_asked_for(name: str) -> None:
    assert f"CONFIG_{name}=y" in KERNEL_CONFIG.read_text().splitlines()


def test_another_configuration_is_another_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setattr(kernel, "KERNEL_CONFIG", tmp_path / "fragment")
    (tmp_path / "fragment").write_text("CONFIG_IP_VS=y\n")
    assert kernel.output(cache) is None
    folder = cache / "kernel" / f"7.2.1-{kernel._recipe()}"
    folder.mkdir(parents=True)
    # Whatever version it was built from: it is not fetched again.
    assert kernel.output(cache) == kernel.build(cache) == folder
    (tmp_path / "fragment").write_text("CONFIG_IP_VS=y\nCONFIG_VXLAN=y\n")
    assert kernel.output(cache) is None
    (tmp_path / "fragment").write_text("CONFIG_IP_VS=y\n")
    monkeypatch.setattr(kernel, "KERNEL_PATCHES", (tmp_path / "fragment",))
    assert kernel.output(cache) is None


CLOCK = "--- a/clock.c\n+++ b/clock.c\n@@ -1,2 +1,2 @@\n int clock;\n-trapped\n+read\n"


@pytest.mark.parametrize(
    ("source", "patched", "said"),
    [
        ("int clock;\ntrapped\n", "int clock;\nread\n", ""),
        ("int other;\nnew\n", "int other;\nnew\n", "does not fit Linux 8.0"),
    ],
    ids=["as it was", "changed"],
)
def test_a_source_that_the_patch_does_not_fit_is_built_as_it_is(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    source: str,
    patched: str,
    said: str,
) -> None:
    patch = tmp_path / "clock.patch"
    patch.write_text(CLOCK)
    folder = tmp_path / "linux"
    folder.mkdir()
    (folder / "clock.c").write_text(source)
    kernel.apply(patch, folder, "8.0")
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"clock.c": patched}
    assert said in capsys.readouterr().out


def test_an_unknown_kernel_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_KERNEL", "uml")
    assert Layout.from_environment().asked.kernel is Kernel.UML
    monkeypatch.setenv("PODMETER_TESTBED_KERNEL", "bsd")
    with pytest.raises(TestbedError, match="KERNEL=bsd is none of machine, uml"):
        Layout.from_environment()


@pytest.mark.usefixtures("taken_for_up")
def test_a_testbed_on_another_kernel_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_STATE", str(tmp_path))
    monkeypatch.setenv("PODMETER_TESTBED_KERNEL", "uml")
    with pytest.raises(TestbedError, match="up with KERNEL=machine, not uml"):
        lifecycle.up(Layout.from_environment())


def test_a_kernel_takes_more_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert {"flex", "bison", "bc"} <= set(requirements.missing_packages(Kernel.UML))
    assert "flex" not in requirements.missing_packages()


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Path]:
    """Something that takes commands, as the testbed's own kernel does."""
    door = tmp_path / "door.json"
    serving = [sys.executable, "-I", "-S", remote.__file__, "serve", str(door)]
    with socket.socket() as held:
        # Nobody who asks for a free port gets it before the server listens there.
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        door.write_text(json.dumps({"address": "127.0.0.1", "port": port, "secret": "known"}))
        with subprocess.Popen(serving) as server:
            wait_for("the door", lambda: _runs(_client(door, "true")), 30)
            yield door
            server.kill()


def _client(door: Path, *argv: str) -> list[str]:
    return [sys.executable, "-I", "-S", remote.__file__, "run", str(door), "--", *argv]


def _runs(argv: list[str]) -> bool:
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


def test_a_command_has_its_input_output_and_exit_code(door: Path) -> None:
    argv = _client(door, "sh", "-c", "cat; echo oh >&2; exit 3")
    content = bytes(range(256)) * 4096
    ended = subprocess.run(argv, input=content, capture_output=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (3, content, b"oh\n")
    assert run(*_client(door, "printf", "%s", "a b\n'c")) == "a b\n'c"
    killed = subprocess.run(_client(door, "sh", "-c", "kill -9 $$"), check=False)
    assert killed.returncode == 128 + 9
    missing = subprocess.run(_client(door, "no-such"), capture_output=True, check=False)
    assert missing.returncode == 127
    assert b"no-such" in missing.stderr


def test_many_commands_at_once(door: Path) -> None:
    said: dict[int, str] = {}

    def ask(number: int) -> None:
        said[number] = run(*_client(door, "sh", "-c", f"cat /dev/null; echo {number}"))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == {number: f"{number}\n" for number in range(8)}


def test_a_command_ends_with_who_ran_it(door: Path, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    script = f"echo $$ >{mark}.part; mv {mark}.part {mark}; exec sleep infinity"
    with subprocess.Popen(_client(door, "sh", "-c", script), stdin=subprocess.PIPE) as client:
        wait_for("the command", mark.exists, 30)
        client.kill()
    process = Path("/proc", mark.read_text().strip())
    wait_for("the command to end", lambda: not process.exists(), 30)


def test_who_does_not_know_the_secret_runs_nothing(door: Path, tmp_path: Path) -> None:
    guessed = tmp_path / "guessed.json"
    guessed.write_text(json.dumps({**json.loads(door.read_text()), "secret": "guessed"}))
    mark = tmp_path / "mark"
    ended = subprocess.run(_client(guessed, "touch", str(mark)), capture_output=True, check=False)
    assert ended.returncode != 0
    assert b"does not answer" in ended.stderr
    assert not mark.exists()
