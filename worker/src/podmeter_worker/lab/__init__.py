"""podmeter.domain.ports.Lab on a real cluster."""
