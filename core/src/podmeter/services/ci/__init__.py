"""Jobs of a CI are let in by what its issuer signs about them, without a stored secret.

An administrator says which issuer, audience and claims are taken (`trusts`), a job exchanges its
token (`admission`), which is checked with the issuer's keys (`job_token`, `issuers`).
"""
