"""What most repositories are: the rows of one organization, read and written in one session."""

import uuid
from collections.abc import Collection

from sqlalchemy.orm import Session


class OrganizationRepository:
    """Rows of one organization; its queries find nothing of another one."""

    def __init__(self, session: Session, organization_id: uuid.UUID) -> None:
        self.session = session
        self.organization_id = organization_id

    def _parameters(self, run_ids: Collection[uuid.UUID]) -> dict[str, object]:
        """Those of a statement about runs of the organization."""
        return {"organization_id": self.organization_id, "run_ids": list(run_ids)}
