"""Stored documents of older forms: what they say as rows of today, every figure as it was.

Each step raises an error for what is no such document: `StoredForm` says that it cannot be read.
"""
