"""Single sign-on: who is not let in and why, and what is wrong with the provider."""

SENTENCES = {
    "sign_on_only": (
        "the address or the password is wrong, or single sign-on is what lets it in here"
    ),
    "sign_on_off": "there is no single sign-on here; PODMETER_OIDC_ISSUER names a provider",
    "sign_on_unknown": (
        "this sign-on was not begun in this browser, was finished before, or took longer than"
        " {minutes} min; begin anew"
    ),
    "sign_on_denied": "the provider let nobody in: {why}",
    "sign_on_code_refused": (
        "the provider does not take the code: it was used, or has expired; begin anew"
    ),
    "sign_on_no_group": (
        "none of your groups may use Podmeter here; who runs it gives groups their roles by "
        "PODMETER_OIDC_ROLES"
    ),
    "sign_on_no_address": (
        "the provider tells no e-mail address of yours, by which Podmeter names its accounts;"
        " the scope is often `email`"
    ),
    "sign_on_address_unverified": (
        "The provider does not say that it has verified {email} (email_verified), so there is no "
        "account for you. Verify the address at the provider and sign in again. If the provider "
        "verifies all addresses, the person who runs Podmeter sets "
        "PODMETER_OIDC_ADDRESSES_VERIFIED."
    ),
    "sign_on_address_unproved": (
        "An account with the address {email} exists, and nobody has proved that the address is its "
        "owner's. If the account is yours, log in with its password, then link it to single "
        "sign-on on the page Your account. If you do not know the password, continue with a new "
        "account, or ask the person who runs Podmeter for `podmeter-admin confirm-address`."
    ),
    "sign_on_address_taken": (
        "the account of {email} is somebody else's at the provider; an administrator removes "
        "that member first"
    ),
    "sign_on_deactivated": "an administrator has deactivated the account",
    "sign_on_organization": (
        "there is no organization, or not one alone, that PODMETER_OIDC_ORGANIZATION names: "
        "'{name}'"
    ),
    "password_of_provider": (
        "the account is the single sign-on provider's, and has no password here"
    ),
    "invitation_needs_password": (
        "single sign-on alone lets in here, and an invitation takes a password: the "
        "provider's groups say who is a member"
    ),
    "id_token_refused": "what the provider signed is not believed: {why}",
    "id_token_issuer": "it is another issuer's",
    "id_token_audience": "it is for another application",
    "id_token_nonce": "it answers another sign-on",
    "id_token_expired": "it has expired, or the clocks of both differ",
    "id_token_signature": "none of the provider's keys signed it",
    "id_token_algorithm": "it is signed in no way that is taken",
    "id_token_claims": "it does not say what it must",
    "ci_trust_unknown": ("There is no such CI trust. An administrator sees its id in Settings, CI"),
    "ci_token_refused": "the CI's token is refused: {why}",
    "ci_claim_refused": (
        "the CI trust does not take this job: the claim {claim} of its token is '{value}'"
    ),
    "ci_event_refused": (
        "the CI trust takes no jobs of pull requests, or the event runs code of forks with the "
        "repository's rights, which no trust takes"
    ),
    "ci_trust_empty": "the CI trust's experiments are deleted; an administrator names others",
    "ci_trust_orphaned": (
        "the administrator who saved the CI trust is no active member; another one saves it again"
    ),
    "ci_issuer_unavailable": "{issuer} cannot be asked for its keys",
    "mend_ci_issuer": (
        "Try again in a moment. If it stays so, check the issuer in Settings, CI, and that "
        "Podmeter's API reaches it; its log says why it does not."
    ),
    "ci_issuer_malformed": (
        "an issuer is an https address without ? and #, as the tokens' `iss` has it"
    ),
    "ci_pattern_malformed": ("a pattern has 1 to 200 characters, and ** only at its end"),
    "ci_claims_owner": (
        "one claim must say whose jobs these are: repository, repository_owner, project_path, "
        "namespace_path, their ids, or sub; and * alone does not"
    ),
    "provider_fails": "single sign-on does not work at present",
    "provider_unreachable": "{host}, which single sign-on asks, cannot be reached",
    "provider_slow": "{host}, which single sign-on asks, does not answer in time",
    "provider_address": "{host}, which single sign-on asks, is not asked: {why}",
    "provider_certificate": (
        "the TLS certificate of {host}, which single sign-on asks, is not trusted"
    ),
    "provider_status": "{host} answers HTTP {status} where single sign-on asks for {what}",
    "provider_rubbish": "{host} answers what is no {what}, or none that single sign-on can use",
    "provider_refuses": "{host} does not let Podmeter ask who signed on: {why}",
    "provider_another_issuer": (
        "the provider calls itself {found}, and PODMETER_OIDC_ISSUER is {expected}"
    ),
    "mend_provider_away": (
        "Try again in a moment. If it stays so, let who runs Podmeter see that its API "
        "reaches the provider."
    ),
    "mend_provider_name": (
        "Let who runs Podmeter check the name in PODMETER_OIDC_ISSUER, and that its API can "
        "resolve it."
    ),
    "mend_provider_address": (
        "Where the provider is there on purpose, let who runs Podmeter name its network in "
        "PODMETER_OIDC_ALLOWED_NETWORKS."
    ),
    "mend_provider_certificate": (
        "Let who runs Podmeter give the authority that signed it in PODMETER_OIDC_CA."
    ),
    "mend_provider_status": (
        "Try again in a moment. If it stays so, let who runs Podmeter check "
        "PODMETER_OIDC_ISSUER, and the provider's own log."
    ),
    "mend_provider_issuer": (
        "Let who runs Podmeter set PODMETER_OIDC_ISSUER to what the provider itself writes as"
        " its issuer."
    ),
    "mend_provider_client": (
        "Let who runs Podmeter check PODMETER_OIDC_CLIENT_ID and PODMETER_OIDC_CLIENT_SECRET,"
        " and the redirect address that the provider knows."
    ),
}
