"""What somebody pasted: the tools' own outputs, whichever way they were asked, read line by line.

Beside the drivers, which read what Podmeter's own pods print and were asked for by it, these read
what others ran: one file a tool, text in, figures out, no I/O.
"""
