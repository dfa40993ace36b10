"""Single sign-on by OpenID Connect: authorization codes with PKCE, as a client of one provider.

What speaks with the provider (`fetching`, `provider`, `id_token`) imports authlib and httpx, so it
is imported with the first sign-on and not before: anyone who has no provider pays nothing for it.
"""
