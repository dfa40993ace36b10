"""What platforms and their tools write: taken, or refused once with the remedy that fits."""

import base64

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.errors import KubeconfigRefusedError
from podmeter.credentials.kubeconfig import sanitize

from .kubeconfig_maker import NOW
from .kubeconfigs_of_platforms import PLATFORMS

TAKEN = [name for name, one in PLATFORMS.items() if one.uses]


def answer(name):
    platform = PLATFORMS[name]
    return sanitize(platform.raw, now=NOW, policy=AddressPolicy(), context=platform.context)


@pytest.mark.parametrize("name", TAKEN)
def test_it_is_taken_and_says_what_is_used_and_what_is_not(name):
    platform, kept = PLATFORMS[name], answer(name)
    assert (kept.token is None, kept.client_certificate is None) == (
        platform.uses == "certificate",
        platform.uses == "token",
    )
    assert {one.pointer for one in kept.dropped} == platform.dropped
    assert ("certificate_authority" in kept.kept_fields()) == platform.authority


@pytest.mark.parametrize("name", [name for name in PLATFORMS if name not in TAKEN])
def test_it_is_refused_once_with_the_remedy_that_fits(name):
    platform = PLATFORMS[name]
    with pytest.raises(KubeconfigRefusedError) as caught:
        answer(name)
    problems = caught.value.problems
    assert tuple((one.pointer, one.code) for one in problems) == platform.faults
    said = " ".join(one.remedy for one in problems)
    for text in platform.remedies:
        assert text in said
    for text in platform.never:
        assert text not in str(caught.value)


def test_one_fault_names_all_fields_that_have_it():
    with pytest.raises(KubeconfigRefusedError, match="certificate-authority, client-certificate,"):
        answer("minikube")
    with pytest.raises(KubeconfigRefusedError, match=r"as, as-groups\."):
        answer("impersonation")


def test_a_file_in_base64_is_refused_for_what_is_in_it():
    raw = base64.b64encode(PLATFORMS["EKS"].raw)
    with pytest.raises(
        KubeconfigRefusedError, match="exec is not supported: it would run a program"
    ):
        sanitize(raw, now=NOW, policy=AddressPolicy())
