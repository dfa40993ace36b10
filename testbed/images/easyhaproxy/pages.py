"""Writes the pages that HAProxy serves by itself to where EasyHAProxy's configuration has them.

Its own image has them made beforehand; its package has what they are made of.
"""

from pathlib import Path

from functions.pages import asset_files

for name, text in asset_files().items():
    file = Path("/etc/easyhaproxy", name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
