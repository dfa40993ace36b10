"""Every text that Podmeter says, in every language: the catalog, and what renders its texts."""

from podmeter.texts.loader import ENGLISH, Language, catalog, group, languages
from podmeter.texts.render import holes, message_text, render, word
from podmeter.texts.spoken import CatalogText, Spoken, speaking, spoken, text_if_any, text_of

__all__ = [
    "ENGLISH",
    "CatalogText",
    "Language",
    "Spoken",
    "catalog",
    "group",
    "holes",
    "languages",
    "message_text",
    "render",
    "speaking",
    "spoken",
    "text_if_any",
    "text_of",
    "word",
]
