"""Fields with keys and certificates: whatever is in them, an answer comes at once."""

import json

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.errors import KubeconfigRefusedError
from podmeter.credentials.kubeconfig import sanitize
from podmeter.credentials.pem import PemFault, key_matches, read_certificates, read_private_key

from .hostile_pem import good_fields, hostile_certificates, hostile_keys, mutations
from .kubeconfig_maker import NOW, good, packed

# Not a measure of speed: OpenSSL would test the factors of some of these for minutes.
pytestmark = pytest.mark.timeout(60)


def sanitized(**fields):
    document = good()
    document["users"][0]["user"].update(fields)
    return sanitize(json.dumps(document).encode(), now=NOW, policy=AddressPolicy())


@pytest.mark.parametrize("name", hostile_keys())
def test_a_hostile_key_is_refused(name):
    fault = read_private_key(hostile_keys()[name])
    assert isinstance(fault, PemFault)
    assert fault.code == "not_a_key"


@pytest.mark.parametrize("name", hostile_certificates())
def test_a_hostile_certificate_is_refused(name):
    with pytest.raises(KubeconfigRefusedError):
        sanitized(**{"client-certificate-data": packed(hostile_certificates()[name])})


def test_good_keys_are_taken():
    for raw in good_fields()[:3]:
        pem, _ = read_private_key(raw)
        assert pem.startswith("-----BEGIN PRIVATE KEY-----")


def test_a_key_may_stand_behind_its_parameters():
    """As `openssl ecparam -genkey` writes it."""
    parameters = b"-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
    assert not isinstance(read_private_key(parameters + good_fields()[2]), PemFault)


def test_a_bundle_of_hundreds_is_refused():
    fault = read_certificates(good_fields()[3] * 300)
    assert isinstance(fault, PemFault)
    assert fault.code == "too_many_certificates"


def test_mutations_bring_out_the_own_faults_alone():
    read, refused = 0, 0
    for raw in mutations(seed=11, count=4000):
        key = read_private_key(raw)
        chain = read_certificates(raw)
        refused += isinstance(key, PemFault) and isinstance(chain, PemFault)
        if not isinstance(chain, PemFault):
            read += 1
            assert key_matches(chain.first, b"no key") is False
    assert read > 100  # so that the mutations do get past the first byte
    assert refused > 1000
