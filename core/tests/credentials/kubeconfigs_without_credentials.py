"""Kubeconfigs whose certificates, keys or tokens cannot be used.

name: (pointer and code of a problem that must be among those found, the document's maker)
"""

from .kubeconfig_maker import (
    CANARY,
    NOW,
    URL,
    certificate,
    dsa_key,
    encrypted_key,
    in_cluster,
    in_user,
    jwt,
    keys,
    packed,
    pem,
)

CASES = {
    # Certificates and keys.
    "CA of white space": (
        "/clusters/0/cluster/certificate-authority-data",
        "empty",
        in_cluster(certificate_authority_data=packed(b" \n"), server=URL),
    ),
    "CA left out by kubectl": (
        "/clusters/0/cluster/certificate-authority-data",
        "redacted",
        in_cluster(certificate_authority_data="DATA+OMITTED", server=URL),
    ),
    "token left out by kubectl": (
        "/users/0/user/token",
        "redacted",
        in_user({"token": "REDACTED", "x": CANARY}, keep=False),
    ),
    "CA not base64": (
        "/clusters/0/cluster/certificate-authority-data",
        "not_base64",
        in_cluster(certificate_authority_data=f"!{CANARY}!"),
    ),
    "CA as bare PEM": (
        "/clusters/0/cluster/certificate-authority-data",
        "not_base64",
        in_cluster(certificate_authority_data=lambda: pem(keys()[3]).decode() + CANARY),
    ),
    "CA not PEM": (
        "/clusters/0/cluster/certificate-authority-data",
        "not_pem",
        in_cluster(certificate_authority_data=packed(CANARY.encode())),
    ),
    "CA broken PEM": (
        "/clusters/0/cluster/certificate-authority-data",
        "not_certificates",
        in_cluster(
            certificate_authority_data=packed(
                f"-----BEGIN CERTIFICATE-----\n{CANARY}\n-----END CERTIFICATE-----\n".encode()
            )
        ),
    ),
    "CA is a private key": (
        "/clusters/0/cluster/certificate-authority-data",
        "key_in_certificates",
        in_cluster(certificate_authority_data=lambda: packed(pem(keys()[0]))),
    ),
    "CA expired": (
        "/clusters/0/cluster/certificate-authority-data",
        "expired",
        in_cluster(
            certificate_authority_data=lambda: packed(
                pem(certificate(keys()[1], CANARY, start=-40, days=30))
            )
        ),
    ),
    "client certificate expired": (
        "/users/0/user/client-certificate-data",
        "expired",
        in_user(
            lambda: {
                "client-certificate-data": packed(
                    pem(certificate(keys()[0], CANARY, start=-40, days=30))
                )
            }
        ),
    ),
    "client certificate not yet valid": (
        "/users/0/user/client-certificate-data",
        "not_yet_valid",
        in_user(
            lambda: {
                "client-certificate-data": packed(pem(certificate(keys()[0], CANARY, start=5)))
            }
        ),
    ),
    "key of another certificate": (
        "/users/0/user/client-key-data",
        "key_mismatch",
        in_user(lambda: {"client-key-data": packed(pem(keys()[1]) + CANARY.encode())}),
    ),
    "encrypted key": (
        "/users/0/user/client-key-data",
        "encrypted_key",
        in_user(lambda: {"client-key-data": encrypted_key()}),
    ),
    "legacy encrypted key": (
        "/users/0/user/client-key-data",
        "encrypted_key",
        in_user(
            {
                "client-key-data": packed(
                    f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n{CANARY}".encode()
                )
            }
        ),
    ),
    "DSA key": (
        "/users/0/user/client-key-data",
        "not_a_key",
        in_user(lambda: {"client-key-data": dsa_key()}),
    ),
    "huge key": (
        "/users/0/user/client-key-data",
        "key_too_large",
        in_user(
            {"client-key-data": packed(b"-----BEGIN PRIVATE KEY-----\n" + CANARY.encode() * 2000)}
        ),
    ),
    "certificate without key": (
        "/users/0/user/client-key-data",
        "missing",
        in_user({"client-key-data": "", "x": CANARY}),
    ),
    "key without certificate": (
        "/users/0/user/client-certificate-data",
        "missing",
        in_user({"client-key-data": packed(CANARY.encode())}, keep=False),
    ),
    # Tokens.
    "expired certificate and expired token": (
        "/users/0/user/token",
        "expired",
        in_user(
            lambda: {
                "client-certificate-data": packed(
                    pem(certificate(keys()[0], CANARY, start=-40, days=30))
                ),
                "token": jwt({"exp": NOW.timestamp() - 1}),
            }
        ),
    ),
    "half a certificate beside a token": (
        "/users/0/user/client-key-data",
        "missing",
        in_user({"token": CANARY, "client-key-data": ""}),
    ),
    "broken certificate beside a token": (
        "/users/0/user/client-certificate-data",
        "not_certificates",
        in_user(
            {"token": CANARY, "client-certificate-data": packed(b"-----BEGIN CERTIFICATE-----")}
        ),
    ),
    "no credentials": ("/users/0/user", "no_credentials", in_user({CANARY: "x"}, keep=False)),
    "expired token": (
        "/users/0/user/token",
        "expired",
        in_user(lambda: {"token": jwt({"exp": NOW.timestamp() - 1, "sub": CANARY})}, keep=False),
    ),
    "token with a line break": (
        "/users/0/user/token",
        "not_a_token",
        in_user({"token": f"abcdefgh\r\nX-Evil: {CANARY}"}, keep=False),
    ),
    "token encoded again": (
        "/users/0/user/token",
        "encoded_token",
        in_user(lambda: {"token": packed(jwt({"sub": CANARY}).encode())}, keep=False),
    ),
    "token a number": (
        "/users/0/user/token",
        "not_text",
        in_user({"token": 12345678, "x": CANARY}, keep=False),
    ),
}
