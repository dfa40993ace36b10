"""Kubeconfigs that would lead somewhere else, or act as somebody else, by writing it otherwise.

name: (pointer and code of a problem that must be among those found, the document's maker)
"""

from .kubeconfig_maker import (
    CANARY,
    EXEC,
    PATH,
    PROVIDER,
    TOUCH,
    URL,
    changed,
    in_cluster,
    in_user,
    server,
)

_SERVER = "/clusters/0/cluster/server"
#: The path before or around the canary; and why it is refused.
_ADDRESSES = {
    "0.0.0.0": "unspecified",
    "0.1.2.3": "unspecified",
    "127.255.255.254": "loopback",
    "169.254.0.1": "link_local",
    "169.254.170.2": "metadata",
    "169.254.170.23": "metadata",
    "100.100.100.200": "metadata",
    "168.63.129.16": "metadata",
    "192.0.0.192": "metadata",
    "192.0.0.170": "reserved",
    "224.0.0.1": "multicast",
    "239.255.255.250": "multicast",
    "240.0.0.1": "reserved",
    "255.255.255.255": "reserved",
    "[::]": "unspecified",
    "[0:0:0:0:0:0:0:1]": "loopback",
    "[fe80::1]": "link_local",
    "[fec0::1]": "link_local",
    "[ff02::1]": "multicast",
    "[100::1]": "reserved",
    "[fd00:ec2::254]": "metadata",
    "[fd20:ce::254]": "metadata",
    "[::ffff:127.0.0.1]": "loopback",
    "[::ffff:7f00:1]": "loopback",
    "[::127.0.0.1]": "embedded_ipv4",
    "[::ffff:0:7f00:1]": "embedded_ipv4",
    "[2002:7f00:1::]": "embedded_ipv4",
    "[2001::1]": "embedded_ipv4",
    "[64:ff9b::7f00:1]": "loopback",
    "[64:ff9b::a9fe:a9fe]": "metadata",
    "[64:ff9b:1::1]": "embedded_ipv4",
    "[2001:db8::5efe:7f00:1]": "embedded_ipv4",
    "[fe80::1%25eth0]": "zone_id",
    "127.1": "numeric_host",
    "0177.0.0.1": "numeric_host",
    "0x7f.0.0.1": "numeric_host",
    "017700000001": "numeric_host",
    "127.0.0.1.": "loopback",
    "127.0.0.01": "numeric_host",
    "256.1.1.1": "numeric_host",
    "①②⑦.0.0.1": "not_ascii",
    "127。0。0。1": "not_ascii",
    "%31%32%37.0.0.1": "host",
    "a..b": "host",
    "-a.example": "host",
    "*.example.com": "host",
    "localhost,evil.example": "host",
    f"{'a' * 64}.example": "host",
    f"{'a.' * 130}example": "host",
    "": "host",
    "[::1": "host",
    "[::gggg]": "host",
    "[v1.x]": "host",
    "good.example:0": "port",
    "good.example:": "port",
    "good.example:+443": "port",
    "good.example:44:3": "port",
    "good.example:٤٤٣": "not_ascii",
    "good.example@evil.example": "user_info",
}
_URLS = {
    f"HTTP://{CANARY}": "scheme",
    f"ftp://{CANARY}": "scheme",
    f"unix:///run/{CANARY}": "scheme",
    f"javascript://{CANARY}/%0aalert(1)": "scheme",
    f"https:{CANARY}": "malformed",
    f"https:///{CANARY}": "host",
    f"{URL}\\@evil.example": "characters",
    f"{URL}\t": None,
    f"{URL}/a b": "characters",
    f"{URL}\x7f": "characters",
    f"{URL}/\u202eevil": "not_ascii",
    f"{URL}/./x": "path",
    f"{URL}//x": "path",
    f"{URL}/%00": "path",
    f"{URL}/?": "query",
    f"{URL}?": "query",
    f"{URL}#": "fragment",
    f"{URL}/{'a' * 2000}": "too_long",
}
#: Fields that would run, open or connect, in writings that some readers fold together.
_USER_FIELDS = {
    "EXEC": EXEC,
    "e-x-e-c": EXEC,
    "_exec_": EXEC,
    "authProvider": PROVIDER,
    "AUTH-PROVIDER": PROVIDER,
    "tokenfile": PATH,
    "TOKEN_FILE": PATH,
    "Client-Certificate": PATH,
    "client_key": PATH,
    "clientKey": PATH,
    "UserName": CANARY,
    "pass-word": CANARY,
    "As": CANARY,
    "as_groups": [CANARY],
    "asUserExtra": {CANARY: ["x"]},
    "AS-UID": CANARY,
}
_CLUSTER_FIELDS = {
    "proxyUrl": URL,
    "PROXY_URL": URL,
    "Certificate-Authority": PATH,
    "certificateAuthority": PATH,
    "insecureSkipTlsVerify": CANARY,
    "INSECURE-SKIP-TLS-VERIFY": [CANARY],
}
_REFUSED = {
    "exec": "exec",
    "authprovider": "auth-provider",
    "tokenfile": "tokenFile",
    "clientcertificate": "client-certificate",
    "clientkey": "client-key",
    "username": "username",
    "password": "password",
    "as": "as",
    "asgroups": "as-groups",
    "asuserextra": "as-user-extra",
    "asuid": "as-uid",
    "proxyurl": "proxy-url",
    "certificateauthority": "certificate-authority",
    "insecureskiptlsverify": "insecure-skip-tls-verify",
}


def _refused(name):
    return _REFUSED[name.replace("-", "").replace("_", "").lower()]


CASES = {
    **{
        f"server at {host or 'nothing'}": (
            _SERVER,
            f"server_{reason}",
            server(f"https://{host}/{CANARY}"),
        )
        for host, reason in _ADDRESSES.items()
    },
    **{
        f"server {url!r}": (_SERVER, f"server_{reason}", server(url))
        for url, reason in _URLS.items()
        if reason is not None
    },
    **{
        f"user field {name}": (
            f"/users/0/user/{_refused(name)}",
            "refused_field",
            in_user({name: value}),
        )
        for name, value in _USER_FIELDS.items()
    },
    **{
        f"cluster field {name}": (
            f"/clusters/0/cluster/{_refused(name)}",
            "refused_field",
            in_cluster(**{name: value}),
        )
        for name, value in _CLUSTER_FIELDS.items()
    },
    "exec that is no mapping": ("/users/0/user/exec", "refused_field", in_user({"exec": TOUCH})),
    "exec that is a number": ("/users/0/user/exec", "refused_field", in_user({"exec": 1.5})),
    "exec without a command": (
        "/users/0/user/exec",
        "refused_field",
        in_user({"exec": {"command": ""}}),
    ),
    "the other context's user": (
        "/users/0/user/exec",
        "refused_field",
        changed(lambda one: one["users"].__setitem__(0, {"name": "admin", "user": {"exec": EXEC}})),
    ),
    "two clusters of one name": (
        "/clusters/1",
        "duplicate_name",
        changed(lambda one: one["clusters"].append({"name": "lab", "cluster": {"server": URL}})),
    ),
    "a context in itself": (
        "/contexts/0/context/cluster",
        "missing",
        changed(lambda one: one["contexts"][0].update(context={"context": {"cluster": "lab"}})),
    ),
    "a name for TLS that is a list": (
        "/clusters/0/cluster/tls-server-name",
        "not_text",
        in_cluster(tls_server_name=[CANARY]),
    ),
    "a name for TLS with a path": (
        "/clusters/0/cluster/tls-server-name",
        "tls_server_name",
        in_cluster(tls_server_name=f"{CANARY}/../x"),
    ),
    "a name for TLS in a zone": (
        "/clusters/0/cluster/tls-server-name",
        "tls_server_name",
        in_cluster(tls_server_name="fe80::1%eth0", server=URL),
    ),
    "a name for TLS that is a number": (
        "/clusters/0/cluster/tls-server-name",
        "tls_server_name",
        in_cluster(tls_server_name="2130706433", server=URL),
    ),
}
