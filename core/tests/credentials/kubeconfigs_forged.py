"""Kubeconfigs whose keys, certificates and tokens were made to harm who reads them.

name: (pointer and code of a problem that must be among those found, the document's maker)
"""

import base64

from .hostile_pem import hostile_certificates, hostile_keys
from .kubeconfig_maker import CANARY, NOW, bad, good, in_cluster, in_user, jwt, keys, packed, pem

_KEY = "/users/0/user/client-key-data"
_CERTIFICATE = "/users/0/user/client-certificate-data"
_AUTHORITY = "/clusters/0/cluster/certificate-authority-data"
_TOKEN = "/users/0/user/token"
#: PEM that holds no certificate, whatever it looks like.
_NOT_CERTIFICATES = {
    "of no end": b"-----BEGIN CERTIFICATE-----\n" + b"A" * 10_000,
    "of another end": b"-----BEGIN CERTIFICATE-----\nQQ==\n-----END PUBLIC KEY-----\n",
    "of nothing": b"-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
    "that is a request": b"-----BEGIN CERTIFICATE REQUEST-----\nQQ==\n"
    b"-----END CERTIFICATE REQUEST-----\n",
    "that is a public key": b"-----BEGIN PUBLIC KEY-----\nQQ==\n-----END PUBLIC KEY-----\n",
    "with a header": b"-----BEGIN CERTIFICATE-----\nX: y\n\nQQ==\n-----END CERTIFICATE-----\n",
    "of zeros": b"-----BEGIN CERTIFICATE-----\n" + b"A" * 64 + b"\n-----END CERTIFICATE-----\n",
    "of 100,000 empty ones": b"-----BEGIN CERTIFICATE-----\n" * 3000,
}


def _in_user(**fields):
    return in_user(
        {name.replace("_", "-"): value for name, value in fields.items()} | {"x": CANARY}
    )


def _token(value):
    return in_user({"token": value, "x": CANARY}, keep=False)


def _bundle(raw):
    return lambda: bad(_with_authority(packed(raw() if callable(raw) else raw)))


def _with_authority(value):
    document = good()
    document["clusters"][0]["cluster"]["certificate-authority-data"] = value
    return document


CASES = {
    **{
        f"key: {name}": (_KEY, "not_a_key", _in_user(client_key_data=packed(raw)))
        for name, raw in hostile_keys().items()
        if len(raw) <= 12 * 1024
    },
    **{
        f"certificate: {name}": (
            _CERTIFICATE,
            "key_mismatch" if "key" in name else "not_certificates",
            _in_user(client_certificate_data=packed(raw)),
        )
        for name, raw in hostile_certificates().items()
        if "key" not in name
    },
    **{
        f"authority: {name}": (_AUTHORITY, "not_certificates", _bundle(raw))
        for name, raw in hostile_certificates().items()
        if "key" not in name
    },
    **{
        f"authority {name}": (
            _AUTHORITY,
            "too_many_certificates" if raw.count(b"BEGIN") > 200 else "not_certificates",
            _bundle(raw),
        )
        for name, raw in _NOT_CERTIFICATES.items()
    },
    **{
        f"client certificate {name}": (
            _CERTIFICATE,
            "too_many_certificates" if raw.count(b"BEGIN") > 200 else "not_certificates",
            _in_user(client_certificate_data=packed(raw)),
        )
        for name, raw in _NOT_CERTIFICATES.items()
    },
    "authority and a key behind it": (
        _AUTHORITY,
        "key_in_certificates",
        _bundle(lambda: pem(keys()[3]) + pem(keys()[0])),
    ),
    "authority in base64 twice": (
        _AUTHORITY,
        "not_pem",
        _bundle(lambda: base64.b64encode(pem(keys()[3]))),
    ),
    "authority in base64 of URLs": (
        _AUTHORITY,
        "not_base64",
        in_cluster(certificate_authority_data=f"-_{CANARY}"),
    ),
    "authority with white space inside": (
        _AUTHORITY,
        "not_base64",
        in_cluster(certificate_authority_data=f"QQ==\x0b{CANARY}"),
    ),
    "authority that is a list": (
        _AUTHORITY,
        "not_text",
        in_cluster(certificate_authority_data=[CANARY]),
    ),
    "key in a certificate's place": (
        _CERTIFICATE,
        "key_in_certificates",
        in_user(lambda: {"client-certificate-data": packed(pem(keys()[0])), "x": CANARY}),
    ),
    "certificate in a key's place": (
        _KEY,
        "not_a_key",
        in_user(lambda: {"client-key-data": packed(pem(keys()[2])), "x": CANARY}),
    ),
    "key for OpenSSH": (
        _KEY,
        "not_a_key",
        _in_user(
            client_key_data=packed(
                b"-----BEGIN OPENSSH PRIVATE KEY-----\nQQ==\n-----END OPENSSH PRIVATE KEY-----\n"
            )
        ),
    ),
    "key of no end": (
        _KEY,
        "not_a_key",
        _in_user(client_key_data=packed(b"-----BEGIN PRIVATE KEY-----\n" + b"A" * 9000)),
    ),
    "key behind 400 beginnings": (
        _KEY,
        "not_a_key",
        _in_user(client_key_data=packed(b"-----BEGIN PRIVATE KEY-----\n" * 400)),
    ),
    "key of a quarter of a megabyte": (
        _KEY,
        "key_too_large",
        _in_user(client_key_data=packed(b"-----BEGIN PRIVATE KEY-----" + b"A" * 150_000)),
    ),
    "key with a password of PKCS #12": (
        _KEY,
        "encrypted_key",
        _in_user(
            client_key_data=packed(
                b"-----BEGIN ENCRYPTED PRIVATE KEY-----\nQQ==\n"
                b"-----END ENCRYPTED PRIVATE KEY-----\n"
            )
        ),
    ),
    "token of seven letters": (_TOKEN, "not_a_token", _token("abcdefg")),
    "token of 17,000 letters": (_TOKEN, "not_a_token", _token("a" * 17_000)),
    "token with a space": (_TOKEN, "not_a_token", _token("abcdefgh ijkl")),
    "token with a tab": (_TOKEN, "not_a_token", _token("abcdefgh\tijkl")),
    "token with a NUL": (_TOKEN, "not_a_token", _token("abcdefgh\x00ijkl")),
    "token with a header behind it": (
        _TOKEN,
        "not_a_token",
        _token("abcdefgh\nImpersonate-User: admin"),
    ),
    "token of another script": (_TOKEN, "not_a_token", _token("токен-токен")),
    "token that is a list": (_TOKEN, "not_text", _token([CANARY])),
    "token that is true": (_TOKEN, "not_text", _token(True)),
    "token long expired": (_TOKEN, "expired", lambda: _token(jwt({"exp": -(10**9)}))()),
    "token that expires now": (_TOKEN, "expired", lambda: _token(jwt({"exp": NOW.timestamp()}))()),
    "token beside a key alone": (
        _CERTIFICATE,
        "missing",
        in_user({"token": CANARY * 2, "client-certificate-data": ""}),
    ),
}
