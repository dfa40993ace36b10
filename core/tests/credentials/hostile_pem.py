"""Keys and certificates that no tool makes, written as DER by hand, and mutations of good ones."""

import base64
import random

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from .kubeconfig_maker import keys

# Mersenne primes: factors that take OpenSSL seconds to minutes to test for being prime.
SLOW_PRIMES = [2**4423 - 1, 2**4253 - 1, 2**9689 - 1, 2**9941 - 1]
_RSA, _DH, _DSA = "2a864886f70d010101", "2a864886f70d010301", "2a8648ce380401"


def tag(number, content):
    size = len(content)
    if size < 128:
        return bytes([number, size]) + content
    written = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([number, 0x80 | len(written)]) + written + content


def integer(value):
    return tag(2, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def sequence(*parts):
    return tag(0x30, b"".join(parts))


def pem(label, der):
    body = base64.encodebytes(der).decode()
    return f"-----BEGIN {label}-----\n{body}-----END {label}-----\n".encode()


def rsa_der(n, e, d, p, q, dp=3, dq=3, qi=3):
    return sequence(integer(0), *(integer(one) for one in (n, e, d, p, q, dp, dq, qi)))


def pkcs8(algorithm, parameters, key):
    identifier = sequence(tag(6, bytes.fromhex(algorithm)), parameters)
    return sequence(integer(0), identifier, tag(4, key))


def whole_rsa(p, q, e=65537):
    """Every number as it should be, but for what p and q are."""
    d = pow(e, -1, (p - 1) * (q - 1))
    return rsa_der(p * q, e, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p))


def hostile_keys():
    """name -> PEM of a private key that must be refused, at once."""
    p, q, larger, largest = SLOW_PRIMES
    null = b"\x05\x00"
    found = {
        "RSA of 8,676 bits": ("RSA PRIVATE KEY", whole_rsa(p, q)),
        "RSA of 19,630 bits": ("RSA PRIVATE KEY", rsa_der(larger * largest, 65537, 3, p, q)),
        "RSA with factors of another number": ("RSA PRIVATE KEY", rsa_der(77, 65537, 3, p, q)),
        "RSA in PKCS #8": ("PRIVATE KEY", pkcs8(_RSA, null, whole_rsa(p, q))),
        "RSA of 12 bits": ("RSA PRIVATE KEY", whole_rsa(61, 53, 17)),
        "RSA with an even modulus": ("RSA PRIVATE KEY", rsa_der(2**4000, 65537, 3, 2, 2**3999)),
        "RSA with a factor of 1": ("RSA PRIVATE KEY", rsa_der(p, 3, 3, p, 1)),
        "RSA with zeros": ("RSA PRIVATE KEY", rsa_der(0, 0, 0, 0, 0, 0, 0, 0)),
        "RSA whose exponent is as long": ("RSA PRIVATE KEY", rsa_der(p * 3, p, 3, p, 3)),
        "Diffie-Hellman": (
            "PRIVATE KEY",
            pkcs8(_DH, sequence(integer(larger), integer(2)), integer(larger - 2)),
        ),
        "DSA": (
            "PRIVATE KEY",
            pkcs8(_DSA, sequence(integer(larger), integer(2**255 + 1), integer(2)), integer(5)),
        ),
        "old DSA": (
            "DSA PRIVATE KEY",
            sequence(*(integer(one) for one in (0, larger, 2**255 + 1, 2, 5, 7))),
        ),
        "nothing in it": ("PRIVATE KEY", b""),
        "a length of 2^64": ("PRIVATE KEY", b"\x30\x88" + b"\xff" * 8),
        "a sequence in itself": ("PRIVATE KEY", b"\x30\x80" * 500),
        "an elliptic curve of no name": ("EC PRIVATE KEY", sequence(integer(1), tag(4, b"\1"))),
    }
    return {name: pem(label, der) for name, (label, der) in found.items()}


def hostile_certificates():
    """name -> PEM of a certificate that reads, but holds what no certificate may."""
    der = keys()[2].public_bytes(Encoding.DER)
    version, not_before = b"\xa0\x03\x02\x01\x02", b"\x17\x0d250531000000Z"
    assert der.count(version) == 1
    assert der.count(not_before) == 1
    ec_key = bytes.fromhex("06072a8648ce3d0201")
    assert der.count(ec_key) == 1
    found = {
        "version 4": der.replace(version, b"\xa0\x03\x02\x01\x03"),
        "version 256": der.replace(version, b"\xa0\x03\x02\x01\xff"),
        "month 13": der.replace(not_before, b"\x17\x0d251331000000Z"),
        "a key of no known kind": der.replace(ec_key, bytes.fromhex("06072a8648ce3d0299")),
        "a key off its curve": der.replace(
            keys()[0].public_key().public_numbers().x.to_bytes(32, "big"), b"\x01" * 32
        ),
        "year 0": _with_year_zero(der),
    }
    return {name: pem("CERTIFICATE", one) for name, one in found.items()}


def _with_year_zero(der):
    """The certificate with its first date written as GENERALIZEDTIME, four digits longer."""
    date = b"\x17\x0d250531000000Z"
    outer, inner = _content(der), _content(_content(der))
    rest = outer[len(tag(0x30, inner)) :]
    before, after = inner.split(date)
    validity = before.rfind(b"\x30\x1e")
    assert validity == len(before) - 2
    dates = tag(0x30, b"\x18\x0f00000101000000Z" + after[:15])
    return sequence(sequence(before[:validity], dates, after[15:]), rest)


def _content(der):
    size = der[1]
    if size < 128:
        return der[2 : 2 + size]
    start = 2 + (size & 0x7F)
    return der[start : start + int.from_bytes(der[2:start], "big")]


def good_fields():
    """PEM of an RSA key in both forms, of an EC key, and of a certificate."""
    own = rsa.generate_private_key(65537, 1024)  # the smallest taken: mutations meet its numbers
    plain = NoEncryption()
    return [
        own.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, plain),
        own.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, plain),
        keys()[0].private_bytes(Encoding.PEM, PrivateFormat.PKCS8, plain),
        keys()[2].public_bytes(Encoding.PEM),
    ]


def mutations(seed, count):
    """`count` PEM texts: good ones with bytes of their DER, or of the text, changed."""
    chance, fields = random.Random(seed), good_fields()
    for _ in range(count):
        text = chance.choice(fields)
        if chance.random() < 0.2:
            yield _changed(text, chance)
            continue
        label = text.split(b"-----")[1].removeprefix(b"BEGIN ").decode()
        der = base64.b64decode(b"".join(text.splitlines()[1:-1]))
        yield pem(label, _changed(der, chance))


def _changed(raw, chance):
    found = bytearray(raw)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(found))
        what = chance.random()
        if what < 0.6:
            found[at] = chance.randrange(256)
        elif what < 0.8:
            del found[at : at + chance.randrange(1, 9)]
        else:
            found[at:at] = chance.randbytes(chance.randrange(1, 9))
        found = found or bytearray(b"-")
    return bytes(found)


def shaken(der, chance):
    """DER whose values were changed as values: lengths fit, what is in them does not."""
    found = _values(der)
    if found is None:
        return _changed(der, chance)
    for _ in range(chance.choice((1, 1, 2, 4))):
        _shake(found, chance)
    return _der(found)


def _values(der, depth=0):
    """DER as a list of (tag, content), content a list again where it is made of values."""
    found = []
    while der:
        try:
            number, size = der[0], der[1]
            start = 2 if size < 128 else 2 + (size & 0x7F)
            size = size if size < 128 else int.from_bytes(der[2:start], "big")
        except IndexError:
            return None
        content = der[start : start + size]
        if len(content) != size:
            return None
        inner = _values(content, depth + 1) if number & 0x20 and depth < 12 else None
        found.append([number, content if inner is None else inner])
        der = der[start + size :]
    return found


def _shake(values, chance):
    every = list(_every(values))
    if not every:
        return
    where, at = chance.choice(every)
    number, content = where[at]
    what = chance.randrange(8)
    if what == 0:
        where[at] = [
            chance.choice((0x02, 0x03, 0x04, 0x05, 0x06, 0x0C, 0x17, 0x18, 0x30, 0xA0)),
            content,
        ]
    elif what == 1:
        del where[at]
    elif what == 2:
        where.insert(at, [number, _plain(content)])
    elif what == 3:
        other, there = chance.choice(every)
        where[at] = [other[there][0], _plain(other[there][1])]
    elif what == 4:
        where[at] = [number, chance.randbytes(chance.choice((0, 1, 8, 300, 3000)))]
    elif what == 5:
        where[at] = [2, b"\x7f" + b"\xff" * chance.choice((0, 20, 1000, 4000))]
    elif what == 6:
        where[at] = [number, b"0" * chance.choice((1, 13, 15, 40))]
    else:
        nested = tag(number, _plain(content))
        for _ in range(chance.choice((3, 30, 300))):
            nested = tag(0x30, nested)
        where[at] = [0x30, nested]


def _every(values):
    """Where each value is."""
    left = [values]
    while left:
        found = left.pop()
        for at, (_, content) in enumerate(found):
            yield found, at
            if isinstance(content, list):
                left.append(content)


def _der(values):
    return b"".join(tag(number, _plain(content)) for number, content in values)


def _plain(content):
    """Written out, so that nothing is ever a part of itself."""
    return _der(content) if isinstance(content, list) else content
