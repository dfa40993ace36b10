"""Kubeconfigs that would run, open or connect to something.

name: (pointer and code of a problem that must be among those found, the document's maker)
"""

from .kubeconfig_maker import CANARY, EXEC, PATH, PROVIDER, URL, in_cluster, in_user, server

CASES = {
    # What would run a program, open a file or connect somewhere.
    "exec": ("/users/0/user/exec", "refused_field", in_user({"exec": EXEC})),
    "exec alone": ("/users/0/user/exec", "refused_field", in_user({"exec": EXEC}, keep=False)),
    "exec in other case": ("/users/0/user/exec", "refused_field", in_user({"Exec": EXEC})),
    "auth-provider": (
        "/users/0/user/auth-provider",
        "refused_field",
        in_user({"auth-provider": PROVIDER}),
    ),
    "auth_provider with underscore": (
        "/users/0/user/auth-provider",
        "refused_field",
        in_user({"auth_provider": PROVIDER}),
    ),
    "tokenFile": ("/users/0/user/tokenFile", "refused_field", in_user({"tokenFile": PATH})),
    "token-file beside a token": (
        "/users/0/user/tokenFile",
        "refused_field",
        in_user({"token-file": PATH}, base="token"),
    ),
    "client-certificate path": (
        "/users/0/user/client-certificate",
        "refused_field",
        in_user({"client-certificate": PATH}),
    ),
    "client-key path": ("/users/0/user/client-key", "refused_field", in_user({"client-key": PATH})),
    "certificate-authority path": (
        "/clusters/0/cluster/certificate-authority",
        "refused_field",
        in_cluster(certificate_authority=PATH),
    ),
    "proxy-url": ("/clusters/0/cluster/proxy-url", "refused_field", in_cluster(proxy_url=URL)),
    "socks proxy": (
        "/clusters/0/cluster/proxy-url",
        "refused_field",
        in_cluster(proxy_url=f"socks5://{CANARY}:1080"),
    ),
    "insecure TLS": (
        "/clusters/0/cluster/insecure-skip-tls-verify",
        "refused_field",
        in_cluster(**{"insecure-skip-tls-verify": True, "tls-server-name": CANARY}),
    ),
    "insecure TLS as text": (
        "/clusters/0/cluster/insecure-skip-tls-verify",
        "refused_field",
        in_cluster(**{"insecure-skip-tls-verify": CANARY}),
    ),
    "username": (
        "/users/0/user/username",
        "refused_field",
        in_user({"username": "admin", "password": CANARY}, keep=False),
    ),
    "password": ("/users/0/user/password", "refused_field", in_user({"password": CANARY})),
    "impersonation": ("/users/0/user/as", "refused_field", in_user({"as": CANARY})),
    "impersonated groups": (
        "/users/0/user/as-groups",
        "refused_field",
        in_user({"as-groups": ["system:masters", CANARY]}),
    ),
    "impersonated extra": (
        "/users/0/user/as-user-extra",
        "refused_field",
        in_user({"as-user-extra": {CANARY: ["x"]}}),
    ),
    "impersonated uid": ("/users/0/user/as-uid", "refused_field", in_user({"as-uid": CANARY})),
    # The server.
    "http": ("/clusters/0/cluster/server", "server_scheme", server(f"http://{CANARY}:8080")),
    "file URL": ("/clusters/0/cluster/server", "server_scheme", server(f"file://{PATH}")),
    "user info": (
        "/clusters/0/cluster/server",
        "server_user_info",
        server(f"https://admin:{CANARY}@10.0.0.5"),
    ),
    "query": (
        "/clusters/0/cluster/server",
        "server_query",
        server(f"https://10.0.0.5/?to={CANARY}"),
    ),
    "fragment": ("/clusters/0/cluster/server", "server_fragment", server(f"{URL}#{CANARY}")),
    "dots in the path": ("/clusters/0/cluster/server", "server_path", server(f"{URL}/../x")),
    "escapes in the path": ("/clusters/0/cluster/server", "server_path", server(f"{URL}/%2e%2e")),
    "line break": (
        "/clusters/0/cluster/server",
        "server_characters",
        server(f"{URL}\r\nHost: {CANARY}"),
    ),
    "loopback": (
        "/clusters/0/cluster/server",
        "server_loopback",
        server(f"https://127.0.0.1:6443/{CANARY}"),
    ),
    "loopback over IPv6": (
        "/clusters/0/cluster/server",
        "server_loopback",
        server(f"https://[::1]/{CANARY}"),
    ),
    "metadata": (
        "/clusters/0/cluster/server",
        "server_metadata",
        server(f"https://169.254.169.254/{CANARY}"),
    ),
    "metadata mapped into IPv6": (
        "/clusters/0/cluster/server",
        "server_metadata",
        server(f"https://[::ffff:169.254.169.254]/{CANARY}"),
    ),
    "decimal address": (
        "/clusters/0/cluster/server",
        "server_numeric_host",
        server(f"https://2130706433/{CANARY}"),
    ),
    "hexadecimal address": (
        "/clusters/0/cluster/server",
        "server_numeric_host",
        server(f"https://0x7f000001/{CANARY}"),
    ),
    "homograph": (
        "/clusters/0/cluster/server",
        "server_not_ascii",
        server(f"https://{CANARY}．ru"),
    ),
    "not a URL": ("/clusters/0/cluster/server", "server_malformed", server(f"//{CANARY}:6443")),
    "port": ("/clusters/0/cluster/server", "server_port", server(f"{URL}:99999")),
    "server missing": (
        "/clusters/0/cluster/server",
        "missing",
        in_cluster(server=None, **{"tls-server-name": CANARY}),
    ),
    "server a number": ("/clusters/0/cluster/server", "not_text", server(10)),
    "server a list": ("/clusters/0/cluster/server", "not_text", server([URL])),
    "tls-server-name": (
        "/clusters/0/cluster/tls-server-name",
        "tls_server_name",
        in_cluster(tls_server_name=f"{CANARY}\nx"),
    ),
}
