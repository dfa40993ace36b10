"""/ci-trusts and /auth/ci: letting in jobs of a CI without a stored secret."""
