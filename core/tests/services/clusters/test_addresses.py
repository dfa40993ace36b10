from ipaddress import ip_address

import pytest
from pydantic import SecretStr

from podmeter.services.clusters.addresses import address_policy
from podmeter.settings import Settings

SETTINGS = Settings(
    _env_file=None,
    port=8080,
    allowed_cluster_networks="127.0.0.0/8, ::1/128",
    denied_cluster_networks="10.0.0.0/8",
).model_copy(
    update={
        "database_url": SecretStr("postgresql://podmeter@127.0.0.1:5433/podmeter"),
        "redis_url": SecretStr("redis://127.0.0.1:6380/0"),
    }
)


@pytest.mark.parametrize(
    ("address", "port", "reason"),
    [
        ("127.0.0.1", 6443, None),
        ("127.0.0.1", 8080, "own_service"),
        ("127.0.0.2", 5433, "own_service"),
        ("::1", 6380, "own_service"),
        ("10.1.2.3", 6443, "denied"),
        ("192.168.1.1", 6443, None),
    ],
)
def test_what_the_settings_say_holds(address: str, port: int, reason: str | None) -> None:
    assert address_policy(SETTINGS).blocked(ip_address(address), port) == reason
