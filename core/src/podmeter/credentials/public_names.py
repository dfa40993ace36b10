"""Which dotted names are somebody's hosts, and which everybody knows.

A table of domains instead of the Public Suffix List: it only has to distinguish host names
from the dotted names that tools print (files, sysctls, fields, versions), and a name taken for a
host by mistake is only replaced, never lost.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Generic top-level domains that hosts are commonly under. Others, such as `name`, `host` and
#: `network`, are the ends of field names too.
_GENERIC = _words(
    "com net org edu gov mil int io dev app cloud tech xyz info biz online site systems "
    "services solutions group global bank energy digital software engineering shop"
)
#: Two letters that end file names far more often than host names.
_FILES = frozenset({"cc", "md", "pl", "ps", "py", "rs", "sh", "so", "ts"})
#: ISO 3166 codes that are top-level domains, and eu, uk.
_COUNTRIES = _words(
    "ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo "
    "br bs bt bw by bz ca cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do "
    "dz ec ee eg er es et eu fi fj fk fm fo fr ga gd ge gf gg gh gi gl gm gn gp gq gr gs gt "
    "gu gw gy hk hm hn hr ht hu id ie il im in iq ir is it je jm jo jp ke kg kh ki km kn kp "
    "kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc me mg mh mk ml mm mn mo mp mq mr ms "
    "mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pm pn pr "
    "pt pw qa re ro ru rw sa sb sc sd se sg si sk sl sm sn sr ss st su sv sx sy sz tc td tf "
    "tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye "
    "yt za zm zw"
)
#: Where Kubernetes, the network plugins and their images come from: in every cluster's texts.
_PUBLIC = (
    "k8s.io",
    "kubernetes.io",
    "docker.io",
    "docker.com",
    "quay.io",
    "ghcr.io",
    "gcr.io",
    "github.com",
    "cilium.io",
    "projectcalico.org",
    "tigera.io",
    "coreos.com",
    "debian.org",
)


def is_under_a_domain(name: str) -> bool:
    """Whether a dotted name, in lower case, ends as the names of hosts do."""
    last = name.rpartition(".")[2]
    return last in _GENERIC or (last in _COUNTRIES and last not in _FILES)


def is_public(name: str) -> bool:
    """Whether a dotted name, in lower case, is one that tells nothing of who uses it."""
    return any(name == one or name.endswith(f".{one}") for one in _PUBLIC)
