"""The page's stylesheet, and the policies that say what may be in it."""

import base64
import hashlib

from podmeter_api.headers import FRAMED

#: Sizes, widths and typeface are the frontend's (theme.ts, headline.tsx), so that the answer looks
#: the same before and after the frontend takes the page over.
CSS = """
:root { color-scheme: light dark; --line: #8886; --soft: #8881; --link: #0b57d0;
  --caveat: #c75000; }
@media (prefers-color-scheme: dark) {
  :root { --link: #8ab4f8; } }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; }
main, footer { max-width: 71.25rem; box-sizing: border-box; margin: 0 auto; padding: 1rem 1rem 0;
  font-family: "Inter Variable", system-ui, sans-serif; }
h1, h2, h3 { line-height: 1.2; overflow-wrap: anywhere; }
a { color: var(--link); }
table { border-collapse: collapse; margin: .5rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .25rem 0; }
th, td { border: 1px solid var(--line); padding: .25rem .5rem; text-align: left;
  vertical-align: top; }
thead th { background: var(--soft); }
tbody th { font-weight: 400; }
.scroll { overflow-x: auto; }
code, pre { font: .875rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; }
.headline p:first-child { font-size: 1.375rem; line-height: 1.35; }
.headline p:first-child strong { font-weight: 600; }
.caveat { border-left: .3rem solid var(--caveat); padding-left: .6rem; }
main.embed h1 { font-size: 1.1rem; margin: 0; }
ul.files { list-style: none; padding: 0; display: flex; gap: 1rem; flex-wrap: wrap; }
@media print {
  :root { color-scheme: light; }
  body { font-size: 10pt; }
  main, footer { max-width: none; padding: 0; }
  ul.files { display: none; }
  .scroll { overflow: visible; }
  th, td { overflow-wrap: anywhere; }
  tr, .headline, h2, h3 { break-inside: avoid; }
  h2, h3, caption { break-after: avoid; }
  thead { display: table-header-group; }
}
"""

_HASH = base64.b64encode(hashlib.sha256(CSS.encode()).digest()).decode()
_NOTHING_ELSE = "base-uri 'none'; form-action 'none'"
_PLAIN = f"default-src 'none'; style-src 'sha256-{_HASH}'; {_NOTHING_ELSE}"
_SCRIPTED = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    f"img-src 'self' data:; font-src 'self'; connect-src 'self'; {_NOTHING_ELSE}"
)

#: Of the page that is read as it is.
PLAIN_POLICY = f"{_PLAIN}; frame-ancestors 'none'"
#: Of the page that the built frontend takes over: its scripts, its styles, the snapshot's API.
SCRIPTED_POLICY = f"{_SCRIPTED}; frame-ancestors 'none'"
#: Of the same that may stand inside of other pages.
PLAIN_EMBED_POLICY = f"{_PLAIN}; {FRAMED}"
SCRIPTED_EMBED_POLICY = f"{_SCRIPTED}; {FRAMED}"
