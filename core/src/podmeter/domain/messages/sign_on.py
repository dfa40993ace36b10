"""Single sign-on: who is not let in and why, and what is wrong with the provider."""

SENTENCES = {
    "sign_on_only": (
        "the email address or the password is wrong, or this account must use single sign-on"
    ),
    "sign_on_off": "single sign-on is not configured; set PODMETER_OIDC_ISSUER",
    "sign_on_unknown": (
        "this sign-in was started in another browser, is already finished, or took longer than "
        "{minutes} min; sign in again"
    ),
    "sign_on_denied": "the provider refused the sign-in: {why}",
    "sign_on_code_refused": (
        "the provider rejected the code because it was used or has expired; sign in again"
    ),
    "sign_on_no_group": (
        "none of your groups has access to Podmeter; ask its operator, who assigns roles to "
        "groups in PODMETER_OIDC_ROLES"
    ),
    "sign_on_no_address": (
        "the provider sends no email address, which Podmeter needs to identify your account; "
        "it often needs the scope `email`"
    ),
    "sign_on_address_unverified": (
        "The provider does not confirm that {email} is verified (email_verified), so you "
        "cannot sign in. Verify the address at the provider and sign in again. If the provider "
        "verifies all addresses, ask the operator of Podmeter to set "
        "PODMETER_OIDC_ADDRESSES_VERIFIED."
    ),
    "sign_on_address_unproved": (
        "An account with the address {email} exists, but its address is not confirmed. If the "
        "account is yours, log in with its password, then link it to single sign-on on the "
        "page Your account. If you do not know the password, continue with a new account, or "
        "ask the operator of Podmeter to run `podmeter-admin confirm-address`."
    ),
    "sign_on_address_taken": (
        "the account of {email} is linked to a different person at the single sign-on "
        "provider. An administrator must remove that member before you can use the address"
    ),
    "sign_on_deactivated": "an administrator has deactivated the account",
    "sign_on_organization": (
        "PODMETER_OIDC_ORGANIZATION does not name exactly one organization: '{name}'"
    ),
    "password_of_provider": (
        "this account signs in through the single sign-on provider and has no password here"
    ),
    "invitation_needs_password": (
        "invitations are not available, because members sign in only through single sign-on; "
        "the provider's groups decide who is a member"
    ),
    "id_token_refused": "the provider's ID token is not valid: {why}",
    "id_token_issuer": "it has another issuer",
    "id_token_audience": "it is for another application",
    "id_token_nonce": "it belongs to another sign-in",
    "id_token_expired": "it has expired, or the clocks of provider and Podmeter differ",
    "id_token_signature": "it is not signed by any of the provider's keys",
    "id_token_algorithm": "its signature algorithm is not supported",
    "id_token_claims": "it lacks required claims",
    "ci_trust_unknown": (
        "there is no such CI trust; an administrator finds its id in Settings, CI"
    ),
    "ci_token_refused": "the CI's token is refused: {why}",
    "ci_claim_refused": (
        "the CI trust does not accept this job: the claim {claim} of its token is '{value}'"
    ),
    "ci_event_refused": (
        "the CI trust accepts no jobs of pull requests; no trust accepts events that run the "
        "code of forks with the rights of the repository"
    ),
    "ci_trust_empty": (
        "all experiments of the CI trust have been deleted; an administrator must choose others"
    ),
    "ci_trust_orphaned": (
        "the administrator who saved the CI trust is no longer an active member; another "
        "administrator must save it again"
    ),
    "ci_issuer_unavailable": "the keys of {issuer} are unavailable",
    "mend_ci_issuer": (
        "Try again in a moment. If the problem remains, check the issuer in Settings, CI, and that "
        "Podmeter's API can reach it; the API's log shows the reason."
    ),
    "ci_issuer_malformed": (
        "an issuer is an https URL without ? and #, exactly as in the `iss` of its tokens"
    ),
    "ci_pattern_malformed": ("a pattern has 1 to 200 characters, and ** only at its end"),
    "ci_claims_owner": (
        "one claim must name the owner of the jobs: repository, repository_owner, "
        "project_path, namespace_path, their ids, or sub; * alone is not enough"
    ),
    "provider_fails": "single sign-on is currently unavailable",
    "provider_unreachable": "the single sign-on provider {host} cannot be reached",
    "provider_slow": "the single sign-on provider {host} does not respond in time",
    "provider_address": "Podmeter may not connect to the single sign-on provider {host}: {why}",
    "provider_certificate": (
        "the TLS certificate of the single sign-on provider {host} is not trusted"
    ),
    "provider_status": "{host} responds with HTTP {status} to the request for {what}",
    "provider_rubbish": (
        "{host} responds with an invalid {what}, or one that Podmeter does not support"
    ),
    "provider_refuses": "{host} does not accept Podmeter as a client: {why}",
    "provider_another_issuer": (
        "the provider names its issuer {found}, but PODMETER_OIDC_ISSUER is {expected}"
    ),
    "mend_provider_away": (
        "Try again in a moment. If the problem remains, ask the operator of Podmeter to check "
        "that its API can reach the provider."
    ),
    "mend_provider_name": (
        "Ask the operator of Podmeter to check the name in PODMETER_OIDC_ISSUER, and that its "
        "API can resolve it."
    ),
    "mend_provider_address": (
        "If the provider is in that network on purpose, ask the operator of Podmeter to add "
        "the network to PODMETER_OIDC_ALLOWED_NETWORKS."
    ),
    "mend_provider_certificate": (
        "Ask the operator of Podmeter to set PODMETER_OIDC_CA to the certificate authority "
        "that signed it."
    ),
    "mend_provider_status": (
        "Try again in a moment. If the problem remains, ask the operator of Podmeter to check "
        "PODMETER_OIDC_ISSUER and the provider's log."
    ),
    "mend_provider_issuer": (
        "Ask the operator of Podmeter to set PODMETER_OIDC_ISSUER to the issuer exactly as the "
        "provider writes it."
    ),
    "mend_provider_client": (
        "Ask the operator of Podmeter to check PODMETER_OIDC_CLIENT_ID and "
        "PODMETER_OIDC_CLIENT_SECRET, and the redirect URL that is registered with the "
        "provider."
    ),
}
