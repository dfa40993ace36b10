"""`python -m podmeter_cli`."""

import sys

from podmeter_cli.main import main

if __name__ == "__main__":
    sys.exit(main())
