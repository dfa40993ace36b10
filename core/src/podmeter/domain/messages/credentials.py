"""What is wrong with a credential and how to fix it, in whole sentences.

No parameter holds anything of a document that was given: only names that are known here, places
and counts.
"""

SENTENCES = {
    "credential_problem": "{pointer}: {what} {remedy}",
    "what_and_remedy": "{what} {remedy}",
    # The document as a whole.
    "document_too_large": "The document is larger than {kib} KiB.",
    "document_utf16": "The document is UTF-16.",
    "document_not_utf8": "The document is not UTF-8 text.",
    "document_surrogate": "A text contains half of a surrogate pair.",
    "document_empty": "The document is empty.",
    "document_not_yaml": "The document is not valid YAML.",
    "document_not_yaml_at": "The document is not valid YAML at line {line}, column {column}.",
    "document_too_deep": "The document is nested deeper than {levels} levels.",
    "document_too_many": "The document has more than {most} values.",
    "document_key_twice": "A mapping has the same key twice.",
    "document_key_not_text": "A mapping's key is not text.",
    "document_several": "The file contains several YAML documents.",
    "document_tags": "YAML tags are not accepted.",
    "document_aliases": "YAML aliases are not accepted.",
    "document_anchors": "YAML anchors are not accepted.",
    "document_merge_keys": "YAML merge keys are not accepted.",
    "document_no_mapping": "The document is not a mapping.",
    "document_other_kind": "The document's kind is not Config.",
    "document_other_version": "The kubeconfig's apiVersion is not v1.",
    # Its lists.
    "list_missing": "The kubeconfig has no {list}.",
    "entry_malformed": "An entry of {list} is malformed.",
    "contexts_several": "The kubeconfig has several contexts.",
    "context_twice": "Several contexts have the chosen name.",
    "context_unknown": "No context has the chosen name.",
    "context_names_none": "The context does not name a {entry}.",
    "entry_twice": "Several {entry} entries have the name that the context refers to.",
    "entry_unknown": "The context refers to a {entry} that is not in the file.",
    # Fields.
    "field_not_text": "{field} is not text.",
    "fields_name_files": (
        "Podmeter does not read files, and the kubeconfig refers to some: {fields}."
    ),
    "field_proxy": (
        "proxy-url is not supported: it would send the credentials through another server."
    ),
    "field_insecure": (
        "insecure-skip-tls-verify is not supported: it would expose the credentials to anyone "
        "on the network path."
    ),
    "field_exec": "exec is not supported: it would run a program on Podmeter's machine.",
    "field_auth_provider": (
        "auth-provider is not supported: it may run a program or call other servers."
    ),
    "field_basic": "Basic authentication is not supported by Kubernetes.",
    "fields_impersonate": "The kubeconfig impersonates another identity: {fields}.",
    "server_missing": "The server URL is missing.",
    "authority_expired": (
        "All certificates in the certificate authority data have expired or are not valid yet."
    ),
    "tls_name_invalid": "tls-server-name is not a host name.",
    "credentials_half": (
        "The {field} is missing: a client certificate and its key are needed together."
    ),
    "secrets_left_out": (
        "The file contains DATA+OMITTED or REDACTED instead of the secrets: it was exported "
        "without --raw."
    ),
    "credentials_missing": "The user has neither a token nor a client certificate.",
    "token_malformed": "The token is too short, or contains spaces or other invalid characters.",
    "token_encoded": "The token is base64-encoded, as in the data of a Secret.",
    "token_expired": "The token has expired.",
    "certificate_expired": "The client certificate has expired.",
    "certificate_early": "The client certificate is not valid yet.",
    "key_of_another": "The private key does not belong to the client certificate.",
    "key_too_large": "The private key is too large.",
    "key_encrypted": "The private key is protected by a passphrase.",
    "key_unreadable": "The field contains no readable private key.",
    "pem_not_encoded": "The field contains plain PEM text; it must be base64-encoded.",
    "pem_not_base64": "The field is not valid base64.",
    "pem_empty": "The field is empty.",
    "pem_absent": "The field does not contain PEM data after base64 decoding.",
    "certificates_key": "The field contains a private key instead of certificates.",
    "certificates_too_many": "The field contains too many certificates.",
    "certificates_unreadable": "The field contains no readable certificate.",
    # The server's URL and address.
    "url_too_long": "The server URL is too long.",
    "url_characters": "The server URL contains a space, control character, backslash or quote.",
    "url_not_ascii": "The server URL has characters outside ASCII.",
    "url_malformed": "The server is not a URL.",
    "url_scheme": "The server URL does not start with https://.",
    "url_query": "The server URL contains a query.",
    "url_fragment": "The server URL contains a fragment.",
    "url_user_info": "The server URL contains user information before the host.",
    "url_path": "The path of the server URL contains escapes, empty parts or dots.",
    "url_port": "The port is not a number from 1 to 65535.",
    "url_host": "The server's host is not a valid name.",
    "url_numeric_host": "The server's host is an IPv4 address in an unusual notation.",
    "url_ipv6": "The IPv6 address is malformed.",
    "url_zone_id": "The server's IPv6 address has a zone id.",
    "server_unresolved": "The server's name cannot be resolved to an address.",
    "address_refused": "Podmeter may not connect to the server's address ({why}).",
    "address_own_service": "a service of Podmeter itself",
    "address_denied": "on the operator's list of denied addresses",
    "address_metadata": "a cloud's metadata service",
    "address_unspecified": "the unspecified address 0.0.0.0 or ::, which is no server's",
    "address_loopback": "a loopback address of Podmeter's own host",
    "address_link_local": "a link-local address",
    "address_multicast": "a multicast address, which is no single server's",
    "address_reserved": "in a range that is reserved and never assigned to servers",
    "address_embedded_ipv4": "an IPv6 address that contains an IPv4 address",
    "address_zone_id": "an IPv6 address with a zone id",
    # How to fix them.
    "remedy_flatten": "Embed files: kubectl config view --minify --flatten --raw.",
    "remedy_token_file": (
        "Put the contents into the file itself: the token under token, or a new token from "
        "kubectl create token podmeter --namespace podmeter --duration 720h; certificates and "
        "keys under the field's name with -data, encoded with base64 -w0 FILE."
    ),
    "remedy_flatten_both": "Embed both files: kubectl config view --minify --flatten --raw.",
    "remedy_export": "Export it again: kubectl config view --minify --flatten --raw.",
    "remedy_export_one": "Export one context: kubectl config view --minify --flatten --raw.",
    "remedy_export_v1": "Export it with kubectl config view --minify --flatten --raw.",
    "remedy_whole": "Provide the whole kubeconfig: kubectl config view --minify --flatten --raw.",
    "remedy_utf8": "Save it as UTF-8.",
    "remedy_give_text": "Provide the text of a kubeconfig.",
    "remedy_give_v1": "Provide the text of a kubeconfig; it starts with apiVersion: v1.",
    "remedy_give_config": "Provide a kubeconfig, not another Kubernetes object.",
    "remedy_give_one": "Provide one kubeconfig only.",
    "remedy_remove_one": "Remove one of the two.",
    "remedy_remove_tag": "Remove the tag.",
    "remedy_remove_anchor": "Remove the anchor.",
    "remedy_write_value": "Write the value itself in each place.",
    "remedy_write_fields": "Write the fields themselves in each place.",
    "remedy_entry": "Give each entry a name (text) and {entry} (a mapping).",
    "remedy_pick": "Choose the context to register.",
    "remedy_pick_listed": "Choose one of the listed contexts.",
    "remedy_own_names": "Give each a different name.",
    "remedy_name_entry": "Name a {entry} of this file.",
    "remedy_quote": "Write it as text, in quotes.",
    "remedy_no_proxy": "Remove proxy-url and use an address that Podmeter can reach directly.",
    "remedy_authority": (
        "Remove it. Unless a public certificate authority signed the server's certificate, put "
        "the cluster's certificate authority, base64-encoded, into certificate-authority-data: "
        "kubectl get configmap kube-root-ca.crt --namespace kube-system -o "
        "jsonpath='{{.data.ca\\.crt}}' | base64 -w0."
    ),
    "remedy_own_identity": "Remove it and use the credentials of that identity itself.",
    "remedy_make_token": (
        "Run `podmeter clusters add` where kubectl reaches the cluster: it creates a "
        "ServiceAccount token. Or by hand: apply the manifest that `podmeter clusters "
        "manifest` prints, then run kubectl create token podmeter --namespace podmeter "
        "--duration 720h."
    ),
    "remedy_server": "Provide the API server's URL, https://host:port.",
    "remedy_take_authority": (
        "Use the current certificate authority from the ConfigMap kube-root-ca.crt."
    ),
    "remedy_host_name": "Write a host name that is in the server's certificate.",
    "remedy_one_line": "Paste the token on one line.",
    "remedy_decode": "Decode it once: base64 -d.",
    "remedy_encode": "Encode it once: base64 -w0 FILE.",
    "remedy_same_entry": (
        "Take both from the same user entry; the certificate must come first in its list."
    ),
    "remedy_certificates": (
        "Put only certificates here. Replace that private key: it was exposed in the wrong field."
    ),
    "remedy_authorities": "Keep only the certificate authorities of this cluster.",
    "remedy_renew": "Renew it (kubeadm certs renew), or create a ServiceAccount token.",
    "remedy_clocks": "Check the clocks of both machines.",
    "remedy_decrypt": "Decrypt it: openssl pkey -in FILE; or create a ServiceAccount token.",
    "remedy_key": "Use an RSA (up to 8,192 bits), EC or Ed25519 key in PEM.",
    "remedy_url": "Use the API server's URL.",
    "remedy_plain_url": "Write the URL without special characters.",
    "remedy_xn": "Write an international name in its xn-- (Punycode) form.",
    "remedy_host_port": "Write https://host:port.",
    "remedy_tls_port": "Use the API server's TLS port with https://.",
    "remedy_no_query": "Remove the query.",
    "remedy_no_fragment": "Remove the fragment.",
    "remedy_no_user": "Remove everything up to and including the @.",
    "remedy_path": "Use a plain path, or none.",
    "remedy_ipv6": "Write [address]:port.",
    "remedy_port": "Correct the port.",
    "remedy_host": "Correct the host.",
    "remedy_quad": "Write it as four decimal numbers, like 192.0.2.10.",
    "remedy_not_link_local": "Use an address that is not link-local.",
    "remedy_dns": "Check the name and the DNS of Podmeter's host.",
    "remedy_address": (
        "Use an address of the cluster, or ask Podmeter's operator to allow its network."
    ),
    # What is left out of a kubeconfig.
    "dropped_other_context": "belongs to another context",
    "dropped_not_needed": "not needed",
    "dropped_not_set": "not set",
    "dropped_no_authority": "not set: the system's certificate authorities verify the server",
    "dropped_token": "not needed: the client certificate is used",
    "dropped_certificate": "expired: the token is used",
    "dropped_base64": "base64 encoding of the whole file",
    "dropped_unknown": "{count} unknown top-level fields",
    "dropped_fields": "{count} fields that are not needed",
    # Passwords and keys.
    "password_short": "A password needs at least {least} characters.",
    "password_guessable": (
        "This password is easy to guess: it is common, repetitive, or similar to your address. "
        "Use several unrelated words, or a password manager."
    ),
    "password_long": "A password may have at most {most} bytes.",
    "key_absent": "No encryption key is set. {how}",
    "key_doubled": "The list contains the same encryption key twice.",
    "key_malformed": "Encryption key {place} is not {bytes} bytes in base64. {how}",
    "key_not_random": "Encryption key {place} is not random. {how}",
    "key_how": (
        "Create one with: python3 -c 'import base64, secrets; "
        "print(base64.b64encode(secrets.token_bytes(32)).decode())' and keep it apart from the "
        "database. To rotate keys, put the new key before the old one, separated by a comma, "
        "restart, and run podmeter-admin keys rotate."
    ),
    "key_unknown": (
        "This was encrypted with the key {key}, which is not among the configured encryption "
        "keys. Add that key again after the others."
    ),
    "sealed_damaged": "The encrypted data is damaged, or its version is unknown.",
    "sealed_elsewhere": "The encrypted data is damaged, or belongs to another record.",
}
