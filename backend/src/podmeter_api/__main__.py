"""Serve the API: `python -m podmeter_api`."""

import os
import sys
from tempfile import TemporaryDirectory

from podmeter.domain.errors import PodmeterError
from podmeter.settings import MissingSettingError, get_settings
from podmeter.stack.errors import StackError


def main() -> None:
    """Serve until a signal says stop."""
    with TemporaryDirectory(prefix="podmeter-metrics-") as folder:
        # The processes count there together; what counts looks for it when it is imported.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        from podmeter_api.serving import serve

        try:
            serve(get_settings())
        except (MissingSettingError, PodmeterError, StackError) as error:
            sys.exit(f"podmeter: {error}")


if __name__ == "__main__":
    main()
