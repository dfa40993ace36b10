"""`python -m podmeter.cli`."""

import sys

from podmeter.cli import main

sys.exit(main())
