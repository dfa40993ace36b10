"""What lists and searches show of stored comparisons, which is kept beside the whole of each."""

from podmeter.domain.stored import StoredDocumentError, StoredForm
from podmeter.services.comparisons.document import Outline

OUTLINE: StoredForm[Outline] = StoredForm("comparison", Outline)


def read_outline(stored: object) -> Outline | None:
    """The outline that the database has; None in a form that cannot be read."""
    try:
        return OUTLINE.read(stored)
    except StoredDocumentError:
        return None
