"""A real cluster for the Lab's tests."""

from ..cluster_fixtures import (  # noqa: F401
    admin,
    admin_fields,
    client,
    granted,
    kubeconfig,
    nothing_left,
    relay,
    relayed,
    written,
)
