"""Settings of single sign-on: what is missing or wrong is said when the API starts."""

from typing import Any

import pytest

from podmeter.db.models import Role
from podmeter.services.sign_on.configuration import configuration, password_logins, read_roles
from podmeter.services.sign_on.identity import identity
from podmeter.settings import MissingSettingError, Settings

RIGHT: dict[str, Any] = {
    "oidc_issuer": "https://login.example/realms/team",
    "oidc_client_id": "podmeter",
    "oidc_roles": "net-admins=admin,*=viewer",
}


def settings(**other: Any) -> Settings:
    return Settings(_env_file=None, **{**RIGHT, **other})


def test_without_a_provider_there_is_none() -> None:
    assert configuration(Settings(_env_file=None)) is None
    logins = password_logins(Settings(_env_file=None))
    assert logins.allows_password("anybody@example.org")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"oidc_client_id": None}, "PODMETER_OIDC_CLIENT_ID"),
        ({"oidc_roles": None}, "PODMETER_OIDC_ROLES"),
        ({"oidc_roles": " , "}, "PODMETER_OIDC_ROLES"),
        ({"oidc_roles": "net-admins=root"}, "net-admins=root"),
        ({"oidc_roles": "net-admins"}, "net-admins"),
        ({"oidc_roles": "=admin"}, "=admin"),
        ({"oidc_roles": "a=admin,a=viewer"}, "a=viewer"),
        ({"oidc_ca": "/etc/ssl/ours.pem"}, "PODMETER_OIDC_CA_FILE"),
        ({"oidc_ca": "-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----"}, "OIDC_CA"),
        ({"oidc_issuer": "http://login.example"}, "https"),
        ({"oidc_issuer": "login.example"}, "https"),
        ({"oidc_issuer": "https://login.example/?x=1"}, "https"),
        ({"oidc_issuer": "https://user@login.example/"}, "https"),
        ({"oidc_issuer": None, "oidc_only": True}, "PODMETER_OIDC_ONLY"),
        ({"oidc_allowed_networks": ("here",)}, "PODMETER_OIDC_ALLOWED_NETWORKS"),
    ],
)
def test_what_is_wrong_is_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(MissingSettingError, match=said.replace("?", r"\?")):
        configuration(settings(**wrong))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_http_is_taken_on_this_machine(host: str) -> None:
    assert configuration(settings(oidc_issuer=f"http://{host}:4000")) is not None


def test_names_of_groups_may_have_commas_and_equals_signs() -> None:
    assert read_roles("CN=Net,OU=a=admin; *=viewer ;") == {
        "CN=Net,OU=a": Role.ADMIN,
        "*": Role.VIEWER,
    }


def test_the_secret_is_not_in_the_repr() -> None:
    found = configuration(settings(oidc_client_secret="canary"))
    assert found is not None
    assert found.client_secret == "canary"
    assert "canary" not in repr(found)


def test_break_glass_is_the_first_administrator_unless_named() -> None:
    logins = password_logins(settings(oidc_only=True, admin_email="Root@example.org"))
    assert logins.allows_password("root@EXAMPLE.org")
    assert not logins.allows_password("ada@example.org")
    named = password_logins(settings(oidc_only=True, oidc_break_glass="glass@example.org"))
    assert named.allows_password("glass@example.org")
    assert not named.allows_password("admin@localhost")


@pytest.mark.parametrize(
    ("claims", "groups"),
    [
        ({"groups": ["a", "b"]}, ("a", "b")),
        ({"groups": "a"}, ("a",)),
        ({"groups": {"a": 1}}, ()),
        ({}, ()),
    ],
)
def test_groups_are_read_as_providers_write_them(
    claims: dict[str, Any], groups: tuple[str, ...]
) -> None:
    assert identity({"sub": "x", **claims}, "i", "groups", None).groups == groups


def test_a_claim_with_dots_in_its_name_is_found_by_it() -> None:
    claims = {"sub": "x", "https://a.example/groups": ["a"]}
    assert identity(claims, "i", "https://a.example/groups", None).groups == ("a",)
