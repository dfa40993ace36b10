"""Serve the API: `python -m podmeter_api`."""

import sys

import uvicorn

from podmeter.domain.errors import PodmeterError
from podmeter.settings import MissingSettingError, get_settings
from podmeter_api.app import create_app
from podmeter_api.state import make_state
from podmeter_api.unit_of_work import places
from podmeter_api.warm_up import warm_up


def main() -> None:
    """Serve until a signal says stop."""
    settings = get_settings()
    try:
        state = make_state(settings)
    except (MissingSettingError, PodmeterError) as error:
        sys.exit(f"podmeter: {error}")
    app = create_app(settings, state)
    warm_up(state, places(settings))
    # The event loop must not wait for a thread that computes as long as Python lets it (5 ms).
    sys.setswitchinterval(0.001)
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        log_level=settings.log_level,
        access_log=settings.log_level == "debug",
        server_header=False,
        # Open event streams must not keep a stopping process alive.
        timeout_graceful_shutdown=5,
    )


if __name__ == "__main__":
    main()
