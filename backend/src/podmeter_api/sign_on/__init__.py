"""/auth/sign-on: letting in by a single sign-on provider."""
