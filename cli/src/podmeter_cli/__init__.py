"""The users' command line: a client of the REST API, and nothing of the server."""
