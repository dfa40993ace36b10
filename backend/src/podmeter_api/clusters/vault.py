"""What registering needs of the application: keys, and which addresses are refused."""

from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.services.clusters.registry import Vault
from podmeter_api.state import AppState, get_state


async def get_vault(state: Annotated[AppState, Depends(get_state)]) -> Vault:
    """The key ring and the address policy of the settings."""
    settings = state.settings
    own: list[tuple[str, int | None]] = [("127.0.0.0/8", settings.port), ("::1/128", settings.port)]
    port = urlsplit(settings.require_redis_url()).port
    own += [("127.0.0.0/8", port), ("::1/128", port)] if port else []
    return Vault(state.keys, AddressPolicy.of(settings.allowed_cluster_networks, own))


VaultDep = Annotated[Vault, Depends(get_vault)]
