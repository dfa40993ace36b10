"""A real cluster for the switchers' tests."""

from ..cluster_fixtures import (  # noqa: F401
    admin,
    admin_fields,
    client,
    granted,
    kubeconfig,
    relay,
    relayed,
    written,
)
from .sites import node_shells, open_here, stood  # noqa: F401
