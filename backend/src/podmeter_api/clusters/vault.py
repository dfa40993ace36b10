"""What registering needs of the application: keys, and which addresses are refused."""

from typing import Annotated

from fastapi import Depends

from podmeter.services.clusters.addresses import address_policy
from podmeter.services.clusters.kubeconfigs import Vault
from podmeter_api.state import AppState, get_state


async def get_vault(state: Annotated[AppState, Depends(get_state)]) -> Vault:
    """The key ring and the address policy of the settings."""
    return Vault(state.keys, address_policy(state.settings))


VaultDep = Annotated[Vault, Depends(get_vault)]
