"""Every text that Podmeter says, in every language: the catalog, and what renders its texts."""

from podmeter.texts.loader import ENGLISH, Language, catalog, group, languages
from podmeter.texts.localized import (
    CatalogText,
    Localized,
    document_language,
    documents_in,
    text_if_any,
    text_of,
)
from podmeter.texts.render import holes, message_text, render, word

__all__ = [
    "ENGLISH",
    "CatalogText",
    "Language",
    "Localized",
    "catalog",
    "document_language",
    "documents_in",
    "group",
    "holes",
    "languages",
    "message_text",
    "render",
    "text_if_any",
    "text_of",
    "word",
]
