"""What is found in any text by its form: secrets, URLs, addresses, names of the cluster's DNS.

Every pattern runs in linear time: raw tool output may be megabytes long.
"""

import re
from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, ip_address

from podmeter.credentials.pseudonyms import PSEUDONYM, Kind, Pseudonyms
from podmeter.credentials.public_names import is_public, is_under_a_domain

_NOT_PSEUDONYM = rf"(?!{PSEUDONYM.pattern})"
_PEM = re.compile(
    # A block, or one cut off before its end; in JSON text line breaks may be written \n.
    r"-----BEGIN [A-Z0-9 ]{1,40}-----"
    r"(?:(?:(?!-----BEGIN )[\s\S])*?-----END [A-Z0-9 ]{1,40}-----|(?:[A-Za-z0-9+/=\s]|\\[nr])*)"
    # The same in base64, as kubeconfigs have it.
    r"|LS0tLS1CRUdJTi[A-Za-z0-9+/=]*"
)
_TOKEN = re.compile(
    r"podmeter_[0-9A-Za-z]{20,}"
    r"|k8s-aws-v1\.[A-Za-z0-9_-]{10,}"
    r"|sha256~[A-Za-z0-9_-]{20,}"  # OpenShift
    r"|(?<![A-Za-z0-9.])[a-z0-9]{6}\.[a-z0-9]{16}(?![A-Za-z0-9.])"  # kubeadm bootstrap token
    r"|(?<![A-Za-z0-9])AKIA[0-9A-Z]{16}(?![A-Za-z0-9])"  # AWS
    r"|(?<![A-Za-z0-9])AIza[0-9A-Za-z_-]{30,}"  # Google
    r"|(?<![A-Za-z0-9])(?:xox[abeoprs]-|[rs]k_(?:live|test)_)[0-9A-Za-z-]{10,}"  # Slack, Stripe
    r"|(?<![A-Za-z0-9])(?:gh[opsur]_|github_pat_|glpat-)[A-Za-z0-9_-]{20,}"
    rf"|(?i:(?<=bearer )|(?<=basic )){_NOT_PSEUDONYM}[^\s\"'&;,]{{6,}}"
)
# The value after a word for a secret, in YAML, JSON, a query or a command line.
_SECRET = re.compile(
    r"(?P<before>(?:(?:(?<![A-Za-z])(?i:pass(?:phrase)?|pwd|secret|token|credentials?"
    r"|(?:api|access|private|client|secret)[_-]?(?:key|secret))|(?i:passwo?r?d))"
    r"[\"']?[ \t]{0,3}[:=]|--(?i:password|token|secret)(?=[ \t]))[ \t]{0,3})"
    rf"(?P<secret>\"[^\"\n]+\"|'[^'\n]+'|{_NOT_PSEUDONYM}[^\s\"'&;,]+)"
)
# The rest of an authentication header; schemes are checked above.
_HEADER = re.compile(
    r"(?P<before>(?<![A-Za-z])(?i:set-cookie|cookie|proxy-authorization|authorization):[ \t]{0,3}"
    rf"(?![ \t]|(?i:bearer|basic) ))(?P<secret>{_NOT_PSEUDONYM}[^\n\"']+)"
)
_NO_SECRET = {"true", "false", "null", "none", "~"}
_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+"
)
_SERVICE_ACCOUNT = re.compile(
    r"(?P<before>system:serviceaccounts?:[A-Za-z0-9.-]{1,80}:)(?P<account>[A-Za-z0-9.-]{1,253})"
    r"|(?P<quoted>(?i:user|serviceaccounts?|users) \")(?P<user>(?!system:)[^\"\n]{1,253})(?=\")"
    r"|(?P<path>/(?:home|Users)/|(?i:serviceaccounts?)/)(?P<owner>[A-Za-z0-9._-]{1,64})"
)
_PLAIN_ACCOUNTS = {"default", "podmeter"}
_ARN = re.compile(r"(?<![A-Za-z0-9])arn:aws[a-z-]*:[^\s\"'<>,;)]{5,300}")
# How messages of the Kubernetes API and its tools name a node, and a namespace.
_NODE = re.compile(
    r"(?P<before>system:node:|(?i:nodes?) \"|kubernetes\.io/hostname[=:][ \t]{0,2}[\"']?)"
    r"(?P<name>[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)(?![A-Za-z0-9-])"
)
_NAMESPACE = re.compile(
    r"(?:(?i:namespaces?)(?:[\"']?[ \t]{0,2}[:=][ \t]{0,2}[\"']?|[ \t]\"|/)"
    r"|--namespace[ =]|[ \t]-n[ \t]|system:serviceaccounts?:|(?<![A-Za-z0-9])ns/"
    r"|(?<![A-Za-z])in namespace )"
    r"(?P<name>[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?![A-Za-z0-9-])"
)
# A run that may hold a JWT. Searching for the JWT itself would restart at every "eyJ".
_JWT_RUN = re.compile(r"(?<![A-Za-z0-9_.-])[A-Za-z0-9_.-]+")
_URL = re.compile(r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\s\"'<>`|\\]+")
_MAC = re.compile(
    r"(?i)(?<![A-Za-z0-9:-])(?:(?:[0-9a-f]{2}:){5}[0-9a-f]{2}|(?:[0-9a-f]{2}-){5}[0-9a-f]{2})"
    r"(?![A-Za-z0-9:-])"
    # After the type of the hardware, as DHCP's client identifiers have it.
    r"|(?<![A-Za-z0-9:-])0[01]:(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?![A-Za-z0-9:-])"
    r"|(?<![\w.])(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}(?![\w.])"
)
# Letters may be glued to it, as `eth0` is where columns run together; a version's `v` may not.
_IPV4 = re.compile(
    r"(?<![0-9.])(?<![A-Za-z0-9-][vV])(?<!^[vV])(?<![^A-Za-z0-9][vV])"
    r"\d{1,3}(?:\.\d{1,3}){3}(?![0-9]|\.\d)"
    # With a port after another dot, as tcpdump and BSD's netstat write it.
    r"|(?<![A-Za-z0-9.])\d{1,3}(?:\.\d{1,3}){3}(?=\.\d{2,5}(?![0-9.]))"
)
# Eight digits as /proc/net/tcp and route have an address, where a port or another one follows; and
# with `0x` before it, as some tools print one.
_HEX_IPV4 = re.compile(
    r"(?<![A-Za-z0-9])(?P<plain>[0-9A-Fa-f]{8})(?=:[0-9A-Fa-f]{4}(?![0-9A-Fa-f]))"
    r"|(?<![A-Za-z0-9])0[xX](?P<prefixed>[0-9A-Fa-f]{8})(?![A-Za-z0-9])"
    r"|(?<=\t)(?P<column>[0-9A-F]{8})(?=[\t\n]|$)"
    r"|(?i:(?<=address )|(?<=addr )|(?<=addr=)|(?<=ip=)|(?<=ip ))(?P<named>[0-9A-Fa-f]{8})"
    r"(?![A-Za-z0-9])"
)
# Thirty-two digits, as /proc/net/tcp6 and if_inet6 have them.
_HEX_IPV6 = re.compile(
    r"(?<![A-Za-z0-9])(?:[0-9A-Fa-f]{32})(?=:[0-9A-Fa-f]{4}(?![0-9A-Fa-f])"
    r"|[ \t]+[0-9a-f]{2}[ \t]+[0-9a-f]{2}[ \t])"
)
# user@host, where the host has no domain; `root@` of a prompt or of ssh.
_LOGIN = re.compile(
    r"(?<![A-Za-z0-9._%+@/-])(?P<user>[A-Za-z_][A-Za-z0-9._-]{0,63})@"
    r"(?P<host>[A-Za-z0-9][A-Za-z0-9-]{1,62})(?=:[~/]|[ \t\n'\")\]#$,;]|$)"
)
_IPV6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f]*:[0-9A-Fa-f:.]+(?:%[\w.@-]+)?(?!\w)")
_DOTTED = re.compile(r"(?<![A-Za-z0-9._-])[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+")
_AWS_NAME = re.compile(r"(?<![A-Za-z0-9])ip-\d{1,3}(?:-\d{1,3}){3}(?![A-Za-z0-9])")
# An address as pods' DNS names and many machines' names have it.
_DASHED_IPV4 = re.compile(r"(?<![A-Za-z0-9])(?<!\d-)\d{1,3}(?:-\d{1,3}){3}(?![A-Za-z0-9]|-\d)")
_INTERNAL = {
    *("internal", "local", "localdomain", "lan", "corp", "intra", "intranet", "home", "private"),
    *("prod", "staging", "preprod", "dev", "qa", "uat", "onprem", "dc", "arpa"),
}

Step = Callable[[str], str]


def named_namespaces(text: str) -> Iterable[str]:
    """Names that stand where a message has a namespace's."""
    return (match["name"] for match in _NAMESPACE.finditer(text))


def named_nodes(text: str) -> Iterable[str]:
    """Names that stand where a message has a node's."""
    return (match["name"] for match in _NODE.finditer(text))


def known_names(names: dict[str, Kind]) -> re.Pattern[str] | None:
    """Make a pattern of names that no form gives away; None without names.

    A name also counts inside a longer one, as kube-proxy-node1 holds node1, but not as part of
    a word. Existing pseudonyms match first, without a group, and so are left alone.
    """
    if not names:
        return None
    ordered = sorted(names, key=lambda name: (-len(name), name))
    longest_first = "|".join(re.escape(name) for name in ordered)
    return re.compile(
        rf"{PSEUDONYM.pattern}|(?<![A-Za-z0-9])(?P<name>(?ai:{longest_first}))(?![A-Za-z0-9])"
    )


def steps(names: dict[str, Kind], pseudonyms: Pseudonyms, keep: Iterable[Kind]) -> tuple[Step, ...]:
    """Give the replacing steps in their order: what holds other things inside comes first."""
    kept = frozenset(keep)
    pattern = known_names({name: kind for name, kind in names.items() if kind not in kept})

    def simple(kind: Kind, found: re.Pattern[str]) -> Step:
        return lambda text: found.sub(lambda one: pseudonyms.replace(kind, one[0]), text)

    def jwt(match: re.Match[str]) -> str:
        start = match[0].find("eyJ")
        plain = match[0].rstrip(".")
        if start < 0 or plain.count(".", start) < 2:
            return match[0]
        token = pseudonyms.replace(Kind.TOKEN, plain[start:])
        return match[0][:start] + token + match[0][len(plain) :]

    def secret(match: re.Match[str]) -> str:
        value, quote = match["secret"], ""
        if value[0] in "\"'":
            value, quote = value[1:-1], value[0]
        if value.lower() in _NO_SECRET or PSEUDONYM.fullmatch(value):
            return match[0]
        return match["before"] + quote + pseudonyms.replace(Kind.TOKEN, value) + quote

    def account(match: re.Match[str]) -> str:
        before = match["before"] or match["quoted"] or match["path"]
        name = match["account"] or match["user"] or match["owner"]
        if name in _PLAIN_ACCOUNTS or PSEUDONYM.fullmatch(name):
            return match[0]
        return str(before) + pseudonyms.replace(Kind.ACCOUNT, name)

    def url(match: re.Match[str]) -> str:
        # A sentence's punctuation after a URL is not part of it.
        plain = match[0].rstrip(".,;:!?)]}")
        return pseudonyms.replace(Kind.URL, plain) + match[0][len(plain) :]

    def name(match: re.Match[str]) -> str:
        found = match["name"]
        if found is None:
            return match[0]
        return pseudonyms.replace(names[found.lower()], found.lower())

    def address(match: re.Match[str]) -> str:
        for end in (0, 1):
            text = match[0][: len(match[0]) - end]
            if end and match[0][-1] not in ".:":
                break
            if _tells_a_place(text):
                return pseudonyms.replace(Kind.ADDRESS, text.lower()) + match[0][len(text) :]
        return match[0]

    def dotted(match: re.Match[str]) -> str:
        name = match[0].lower()
        labels = name.split(".")
        inside = labels[-1] in _INTERNAL or {"svc", "pod"} & set(labels[2:])
        if inside or (is_under_a_domain(name) and not is_public(name)):
            return pseudonyms.replace(Kind.HOST, name)
        return match[0]

    def hexadecimal(match: re.Match[str]) -> str:
        digits = match["plain"] or match["prefixed"] or match["column"] or match["named"]
        # 0.0.0.0, masks, loopback in either order: the same on every machine.
        raw = bytes.fromhex(digits)
        if not all(_tells_a_place(str(IPv4Address(one))) for one in (raw, raw[::-1])):
            return match[0]
        # A mark of packets has few bits, and no first byte or no last one.
        if match["prefixed"] and 0 in (raw[0], raw[-1]):
            return match[0]
        if _is_a_mask(raw) or _is_a_mask(raw[::-1]):
            return match[0]
        before = match[0][: len(match[0]) - len(digits)] if match["prefixed"] else ""
        return pseudonyms.replace(Kind.ADDRESS, (before + digits).lower())

    def hexadecimal_6(match: re.Match[str]) -> str:
        if match[0].strip("0") in ("", "1", "1000000"):
            return match[0]
        return pseudonyms.replace(Kind.ADDRESS, match[0].lower())

    def login(match: re.Match[str]) -> str:
        if PSEUDONYM.fullmatch(match["host"]):
            return match[0]
        return f"{match['user']}@{pseudonyms.replace(Kind.HOST, match['host'].lower())}"

    def dashed(match: re.Match[str]) -> str:
        if not _tells_a_place(match[0].replace("-", ".")):
            return match[0]
        return pseudonyms.replace(Kind.ADDRESS, match[0])

    found: list[Step] = [
        simple(Kind.PEM, _PEM),
        lambda text: _JWT_RUN.sub(jwt, text),
        simple(Kind.TOKEN, _TOKEN),
        lambda text: _SECRET.sub(secret, text),
        lambda text: _HEADER.sub(secret, text),
    ]
    if Kind.URL not in kept:
        found.append(lambda text: _URL.sub(url, text))
    if Kind.ACCOUNT not in kept:
        found.append(simple(Kind.ACCOUNT, _ARN))
        found.append(simple(Kind.ACCOUNT, _EMAIL))
        found.append(lambda text: _SERVICE_ACCOUNT.sub(account, text))
    if pattern is not None:
        found.append(lambda text: pattern.sub(name, text))
    if Kind.HOST not in kept:
        found.append(lambda text: _DOTTED.sub(dotted, text))
        found.append(simple(Kind.HOST, _AWS_NAME))
        found.append(lambda text: _LOGIN.sub(login, text))
    if Kind.ADDRESS not in kept:
        found.append(simple(Kind.ADDRESS, _MAC))
        found.append(lambda text: _DASHED_IPV4.sub(dashed, text))
        found.append(lambda text: _HEX_IPV6.sub(hexadecimal_6, text))
        found.append(lambda text: _HEX_IPV4.sub(hexadecimal, text))
        # IPv6 first: it may end in an IPv4 address.
        found.extend((lambda text: _IPV6.sub(address, text), lambda text: _IPV4.sub(address, text)))
    return tuple(found)


def _tells_a_place(text: str) -> bool:
    """Whether it is an address that is not the same on every machine."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def _is_a_mask(raw: bytes) -> bool:
    """Whether an IPv4 address is a network mask: ones, and then zeros."""
    bits = f"{int.from_bytes(raw):032b}"
    return "01" not in bits
