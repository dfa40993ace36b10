"""What needs no engine: the secrets that are made, and that the files agree with each other."""

import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
import yaml

from podmeter.credentials.key_ring import KeyRing
from podmeter.kinds.registry import tools
from podmeter.version import VERSION

PROJECT = Path(__file__).resolve().parents[2]
#: Files that name the version and cannot read it; `make version` writes it there.
VERSIONED = re.search(
    r"^VERSIONED := (.*?)\n[a-z]", (PROJECT / "Makefile").read_text(), re.M | re.S
)
REQUIREMENTS = sorted((PROJECT / "images" / "requirements").glob("*.txt"))


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    (tmp_path / "images").mkdir()
    shutil.copy(PROJECT / "images" / "env.sh", tmp_path / "images")
    return tmp_path


def make_env(clone: Path) -> str:
    made = subprocess.run(
        ["sh", clone / "images" / "env.sh"], cwd="/", check=True, capture_output=True, text=True
    )
    return made.stdout


def secrets_in(clone: Path) -> dict[str, str]:
    return {path.name: path.read_text().strip() for path in (clone / ".secrets").iterdir()}


def test_fresh_secrets_that_fit_each_other(clone: Path) -> None:
    said = make_env(clone)
    made = secrets_in(clone)
    KeyRing.parse(made["encryption_keys"])
    database, redis = made["postgres_password"], made["redis_conf"].removeprefix("requirepass ")
    assert made["database_url"] == f"postgresql://podmeter:{database}@postgres:5432/podmeter"
    assert made["redis_url"] == f"redis://:{redis}@redis:6379/0"
    for secret in (database, redis, made["admin_password"]):
        assert re.fullmatch(r"[0-9a-f]{48}", secret)
        assert secret not in said
    assert len({database, redis, made["admin_password"]}) == 3
    env = (clone / ".env").read_text()
    assert "PODMETER_SECRETS=.secrets" in env
    assert not any(secret in env for secret in made.values())


def test_secrets_differ_each_time_and_are_kept_once_made(clone: Path, tmp_path: Path) -> None:
    make_env(clone)
    first, env = secrets_in(clone), (clone / ".env").read_text()
    make_env(clone)
    assert secrets_in(clone) == first
    assert (clone / ".env").read_text() == env
    (clone / ".secrets").rename(tmp_path / "elsewhere")
    make_env(clone)
    assert all(secret != first[name] for name, secret in secrets_in(clone).items())


def test_only_the_owner_gets_to_the_secrets(clone: Path) -> None:
    make_env(clone)
    assert stat.S_IMODE((clone / ".secrets").stat().st_mode) == 0o700
    assert stat.S_IMODE((clone / ".env").stat().st_mode) == 0o600
    # Each is mounted alone into a container, whose user is nobody's here.
    assert {stat.S_IMODE(path.stat().st_mode) for path in (clone / ".secrets").iterdir()} == {0o444}


def test_settings_that_are_there_already_stay(clone: Path) -> None:
    (clone / ".env").write_text("PODMETER_PORT=9000\n")
    make_env(clone)
    assert (clone / ".env").read_text().startswith("PODMETER_PORT=9000\n")


def test_compose_takes_every_secret_that_is_made_and_no_other(clone: Path) -> None:
    make_env(clone)
    compose = yaml.safe_load((PROJECT / "docker-compose.yml").read_text())
    named = {str(one["file"]).rpartition("/")[2] for one in compose["secrets"].values()}
    assert named == {*secrets_in(clone), "null}"}


def test_every_part_reaches_databases_of_ones_own() -> None:
    """`DATABASE_URL` and `REDIS_URL` in .env lead out of the internal network."""
    compose = yaml.safe_load((PROJECT / "docker-compose.yml").read_text())
    networks = {name: one["networks"] for name, one in compose["services"].items()}
    assert {networks.pop(name)[0] for name in ("postgres", "redis")} == {"data"}
    parts = ("migrate", "api", "worker", "upkeep", "beat")
    assert networks == {name: ["data", "outside"] for name in parts}


def test_secrets_are_in_no_commit_and_no_build() -> None:
    ignored = (PROJECT / ".gitignore").read_text().splitlines()
    assert {".env", ".secrets/"} <= set(ignored)
    first, *let_in = [
        line
        for line in (PROJECT / ".dockerignore").read_text().splitlines()
        if not line.startswith(("#", "**"))
    ]
    assert first == "*"
    assert all(re.fullmatch(r"!\w[\w/*.-]*", line) for line in let_in)


def pins(path: Path) -> dict[str, set[str]]:
    """Each requirement with its hashes."""
    found: dict[str, set[str]] = {}
    for line in path.read_text().splitlines():
        if (match := re.match(r"([a-z0-9].*?==\S+)", line)) is not None:
            found[match[1]] = current = set()
        elif (match := re.match(r"\s+--hash=(\S+)", line)) is not None:
            current.add(match[1])
    return found


def test_the_measuring_image_starts_every_tool_of_the_kinds() -> None:
    """The build fails where one of these commands does, so a tool that is not installed is seen."""
    image = (PROJECT / "images" / "bench" / "Dockerfile").read_text().rpartition("\nFROM ")[2]
    started = set(re.findall(r"^(?:RUN| &&) (\S+ -*[a-zA-Z]+)(?: \\)?$", image, re.MULTILINE))
    asked = {" ".join(tool.version_argv) for tool in tools()}
    missing = asked - started
    assert not missing, (
        f"images/bench/Dockerfile: install what {sorted(missing)} needs, and add the command to "
        "the RUN that starts every tool"
    )


@pytest.mark.parametrize("path", REQUIREMENTS, ids=lambda path: path.stem)
def test_every_requirement_is_pinned_by_hash(path: Path) -> None:
    found = pins(path)
    assert found
    assert all(found.values())


@pytest.mark.parametrize("name", ["api", "worker"])
def test_images_have_what_the_tests_ran_with(name: str) -> None:
    tested = pins(PROJECT / "requirements-dev.txt")
    found = pins(PROJECT / "images" / "requirements" / f"{name}.txt")
    assert {one: tested.get(one) for one in found} == found


def test_all_files_name_one_version() -> None:
    assert VERSIONED is not None
    for name in VERSIONED[1].replace("\\\n", " ").split():
        text = (PROJECT / name).read_text()
        pattern = r"(?:(?:api|bench|worker):|ARG VERSION=|^(?:version|appVersion): )(\d+\.\d+\.\d+)"
        assert set(re.findall(pattern, text, re.M)) == {VERSION}, f"{name}: run `make version`"
