import re
from pathlib import Path

import pytest

from podmeter.settings import MissingSettingError, Settings, environment_names

EXAMPLE = Path(__file__).resolve().parents[2] / ".env.example"


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in environment_names():
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(f"{name}_FILE", raising=False)
    monkeypatch.chdir(tmp_path)


def test_the_example_lists_exactly_the_settings() -> None:
    listed = re.findall(r"^#?\s?([A-Z][A-Z0-9_]*)=", EXAMPLE.read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(environment_names())


def test_the_example_can_be_used_as_it_is(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(EXAMPLE.read_text())
    assert Settings() == Settings(_env_file=None)


def test_the_example_gives_each_default() -> None:
    values = dict(re.findall(r"^# ([A-Z][A-Z0-9_]*)=(.+)$", EXAMPLE.read_text(), re.MULTILINE))
    for name, field in Settings.model_fields.items():
        variable = next(v for v in environment_names() if v.lower().endswith(name))
        if isinstance(field.default, str | int) and name != "migrations_dir":
            assert values[variable] == str(field.default), variable


def test_every_setting_says_what_it_means() -> None:
    assert all(environment_names().values())


def test_nothing_starts_without_its_secrets() -> None:
    settings = Settings()
    with pytest.raises(MissingSettingError, match="DATABASE_URL"):
        settings.require_database_url()
    with pytest.raises(MissingSettingError, match="REDIS_URL"):
        settings.require_redis_url()
    with pytest.raises(MissingSettingError, match="podmeter-admin new-key"):
        settings.require_encryption_keys()


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_the_database_url_gets_the_driver(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    monkeypatch.setenv("DATABASE_URL", f"{scheme}://u:p@h/d")
    assert Settings().require_database_url() == "postgresql+psycopg://u:p@h/d"


def test_another_database_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "sqlite:///x")
    with pytest.raises(MissingSettingError, match="postgresql://"):
        Settings().require_database_url()


def test_networks_are_parted_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODMETER_ALLOWED_CLUSTER_NETWORKS", "127.0.0.0/8, ::1/128")
    assert Settings().allowed_cluster_networks == ("127.0.0.0/8", "::1/128")


def test_secrets_do_not_show_in_the_repr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://u:canary@h/d")
    monkeypatch.setenv("PODMETER_ADMIN_PASSWORD", "canary")
    monkeypatch.setenv("PODMETER_ENCRYPTION_KEYS", "canary")
    assert "canary" not in repr(Settings())


@pytest.mark.parametrize(
    ("variable", "field"),
    [("DATABASE_URL", "database_url"), ("PODMETER_ADMIN_PASSWORD", "admin_password")],
)
def test_a_secret_comes_from_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str, field: str
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("postgresql://u:p@h/d\n")
    monkeypatch.setenv(f"{variable}_FILE", str(secret))
    assert getattr(Settings(), field).get_secret_value() == "postgresql://u:p@h/d"


def test_any_setting_comes_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in environment_names():
        (tmp_path / name).touch()
        monkeypatch.setenv(f"{name}_FILE", str(tmp_path / name))
    assert Settings() == Settings(_env_file=None)
    (tmp_path / "PODMETER_PORT").write_text("9000\n")
    (tmp_path / "PODMETER_TRUSTED_PROXIES").write_text("10.0.0.1,10.0.0.2\n")
    settings = Settings()
    assert settings.port == 9000
    assert settings.trusted_proxies == ("10.0.0.1", "10.0.0.2")


def test_a_file_stands_between_the_environment_and_dotenv(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("PODMETER_PORT=1\n")
    (tmp_path / "port").write_text("2")
    monkeypatch.setenv("PODMETER_PORT_FILE", "port")
    assert Settings().port == 2
    monkeypatch.setenv("PODMETER_PORT", "3")
    assert Settings().port == 3


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_named_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "absent"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setenv("PODMETER_ENCRYPTION_KEYS_FILE", str(path))
    with pytest.raises(MissingSettingError, match=rf"PODMETER_ENCRYPTION_KEYS_FILE is {path}"):
        Settings()


def test_files_that_other_programs_name_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/does/not/exist")
    Settings()
