"""What is wrong with a credential and how to mend it, in whole sentences.

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
    "document_surrogate": "A text holds half a surrogate pair.",
    "document_empty": "The document is empty.",
    "document_not_yaml": "The document is not valid YAML.",
    "document_not_yaml_at": "The document is not valid YAML at line {line}, column {column}.",
    "document_too_deep": "The document is nested deeper than {levels} levels.",
    "document_too_many": "There are more than {most} values.",
    "document_key_twice": "A mapping has the same key twice.",
    "document_key_not_text": "A mapping's key is not text.",
    "document_several": "There are several YAML documents.",
    "document_tags": "YAML tags are not accepted.",
    "document_aliases": "YAML aliases are not accepted.",
    "document_anchors": "YAML anchors are not accepted.",
    "document_merge_keys": "YAML merge keys are not accepted.",
    "document_no_mapping": "The document is not a mapping.",
    "document_other_kind": "The document is of another kind than Config.",
    "document_other_version": "The kubeconfig is of another version than v1.",
    # Its lists.
    "list_missing": "The kubeconfig has no {list}.",
    "entry_malformed": "The entry of {list} is malformed.",
    "contexts_several": "There are several contexts.",
    "context_twice": "Several contexts have the picked name.",
    "context_unknown": "There is no context of the picked name.",
    "context_names_none": "The context names no {entry}.",
    "entry_twice": "Several entries have the name of the context's {entry}.",
    "entry_unknown": "The {entry} that the context names is not in the file.",
    # Fields.
    "field_not_text": "{field} is not text.",
    "fields_name_files": "Podmeter reads no files, and the kubeconfig names some: {fields}.",
    "field_proxy": "proxy-url would send the credentials through another server.",
    "field_insecure": "insecure-skip-tls-verify would hand the credentials to anyone in between.",
    "field_exec": "exec would run a program on Podmeter's machine.",
    "field_auth_provider": "auth-provider may run a program or call other servers.",
    "field_basic": "Basic authentication is not supported by Kubernetes.",
    "fields_impersonate": "The kubeconfig would act as somebody else: {fields}.",
    "server_missing": "There is no server.",
    "authority_expired": "No certificate of the authority is valid now.",
    "tls_name_invalid": "tls-server-name is not a host name.",
    "credentials_half": "There is no {field} to go with the other half.",
    "secrets_left_out": "The secrets are left out (DATA+OMITTED, REDACTED), as without --raw.",
    "credentials_missing": "The user has neither a token nor a client certificate.",
    "token_malformed": (
        "The token has spaces or other characters that no token has, or is too short."
    ),
    "token_encoded": "The token is base64-encoded, as a Secret shows it.",
    "token_expired": "The token has expired.",
    "certificate_expired": "The client certificate has expired.",
    "certificate_early": "The client certificate is not valid yet.",
    "key_of_another": "The private key does not belong to the client certificate.",
    "key_too_large": "The private key is too large.",
    "key_encrypted": "The private key is protected by a passphrase.",
    "key_unreadable": "The field holds no readable private key.",
    "pem_not_encoded": "The field is PEM text that is not base64-encoded.",
    "pem_not_base64": "The field is not valid base64.",
    "pem_empty": "The field is empty.",
    "pem_absent": "The field does not hold PEM after base64.",
    "certificates_key": "The field holds a private key.",
    "certificates_too_many": "The field holds too many certificates.",
    "certificates_unreadable": "The field holds no readable certificate.",
    # The server's URL and address.
    "url_too_long": "The server URL is too long.",
    "url_characters": "The server URL has a space, control character, backslash or quote in it.",
    "url_not_ascii": "The server URL has characters outside ASCII.",
    "url_malformed": "The server is not a URL.",
    "url_scheme": "The server URL is not https.",
    "url_query": "The server URL has a query.",
    "url_fragment": "The server URL has a fragment.",
    "url_user_info": "The server URL has user information before the host.",
    "url_path": "The server URL's path has escapes, empty parts or dots in it.",
    "url_port": "The port is not a number from 1 to 65535.",
    "url_host": "The server's host is not a valid name.",
    "url_numeric_host": "The server's host is an odd form of an IPv4 address.",
    "url_ipv6": "The IPv6 address is malformed.",
    "url_zone_id": "The server's IPv6 address has a zone id.",
    "server_unresolved": "The server's name does not resolve to an address.",
    "address_refused": "The server's address is not permitted ({why}).",
    "address_own_service": "own service",
    "address_denied": "denied",
    "address_metadata": "metadata",
    "address_unspecified": "unspecified",
    "address_loopback": "loopback",
    "address_link_local": "link local",
    "address_multicast": "multicast",
    "address_reserved": "reserved",
    "address_embedded_ipv4": "embedded ipv4",
    "address_zone_id": "zone id",
    # How to mend them.
    "remedy_flatten": "Embed files: kubectl config view --minify --flatten --raw.",
    "remedy_token_file": (
        "Put the contents into the file itself: the token under token, or a new one made by "
        "kubectl create token podmeter --namespace podmeter --duration 720h; certificates and "
        "keys under the field's name with -data, encoded by base64 -w0 FILE."
    ),
    "remedy_flatten_both": "Embed both files: kubectl config view --minify --flatten --raw.",
    "remedy_export": "Export it afresh: kubectl config view --minify --flatten --raw.",
    "remedy_export_one": "Export one context: kubectl config view --minify --flatten --raw.",
    "remedy_export_v1": "Export it with kubectl config view --minify --flatten --raw.",
    "remedy_whole": "Give the whole kubeconfig: kubectl config view --minify --flatten --raw.",
    "remedy_utf8": "Save it as UTF-8.",
    "remedy_give_text": "Give the text of a kubeconfig.",
    "remedy_give_v1": "Give the text of a kubeconfig, which starts with apiVersion: v1.",
    "remedy_give_config": "Give a kubeconfig, not another Kubernetes object.",
    "remedy_give_one": "Give one kubeconfig only.",
    "remedy_remove_one": "Remove one of the two.",
    "remedy_remove_tag": "Remove the tag.",
    "remedy_remove_anchor": "Remove the anchor.",
    "remedy_write_value": "Write the value out.",
    "remedy_write_fields": "Write the fields out.",
    "remedy_entry": "Give each entry a name (text) and {entry} (a mapping).",
    "remedy_pick": "Pick the context to register.",
    "remedy_pick_listed": "Pick one of those listed.",
    "remedy_own_names": "Give each its own name.",
    "remedy_name_entry": "Name a {entry} of this file.",
    "remedy_quote": "Write it as text, in quotes.",
    "remedy_no_proxy": "Remove proxy-url and give an address that Podmeter can reach directly.",
    "remedy_authority": (
        "Remove it. Unless a public authority signed the server's certificate, put the base64 of "
        "the cluster's authority into certificate-authority-data: kubectl get configmap "
        "kube-root-ca.crt --namespace kube-system -o jsonpath='{{.data.ca\\.crt}}' | base64 -w0."
    ),
    "remedy_own_identity": "Remove it and use credentials of the identity itself.",
    "remedy_make_token": (
        "Run `podmeter clusters add` where kubectl reaches the cluster: it makes a ServiceAccount "
        "token. By hand: apply what `podmeter clusters manifest` prints, then kubectl create token "
        "podmeter --namespace podmeter --duration 720h."
    ),
    "remedy_server": "Give the API server's URL, https://host:port.",
    "remedy_take_authority": "Take the present one from the ConfigMap kube-root-ca.crt.",
    "remedy_host_name": "Write a host name as in the server's certificate.",
    "remedy_one_line": "Paste the token on one line.",
    "remedy_decode": "Decode it once: base64 -d.",
    "remedy_encode": "Encode it once: base64 -w0 FILE.",
    "remedy_same_entry": (
        "Take both from the same user entry; the certificate must come first in its list."
    ),
    "remedy_certificates": (
        "Put certificates only here, and replace that key: it has been in a wrong place."
    ),
    "remedy_authorities": "Keep the authorities of this cluster only.",
    "remedy_renew": "Renew it (kubeadm certs renew), or make a ServiceAccount token.",
    "remedy_clocks": "Check the clocks of both machines.",
    "remedy_decrypt": "Decrypt it: openssl pkey -in FILE; or make a ServiceAccount token.",
    "remedy_key": "Use an RSA (up to 8,192 bits), EC or Ed25519 key in PEM.",
    "remedy_url": "Use the API server's URL.",
    "remedy_plain_url": "Write the plain URL.",
    "remedy_xn": "Write an international name in its xn-- form.",
    "remedy_host_port": "Write https://host:port.",
    "remedy_tls_port": "Use the API server's TLS port with https://.",
    "remedy_no_query": "Remove the query.",
    "remedy_no_fragment": "Remove the fragment.",
    "remedy_no_user": "Remove everything up to the @.",
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
    "dropped_no_authority": "not set: the system's authorities verify the server's certificate",
    "dropped_token": "not needed: the client certificate is used",
    "dropped_certificate": "expired: the token is used",
    "dropped_base64": "the base64 around the whole file",
    "dropped_unknown": "{count} unknown top-level fields",
    "dropped_fields": "{count} fields not needed",
    # Passwords and keys.
    "password_short": "A password needs at least {least} characters.",
    "password_guessable": (
        "This password is easily guessed: it is common, repeats itself, or is like your address. "
        "Use several unrelated words, or a password manager."
    ),
    "password_long": "A password may have at most {most} bytes.",
    "key_absent": "There is no encryption key. {how}",
    "key_doubled": "The same encryption key stands twice in the list.",
    "key_malformed": "Encryption key {place} is not {bytes} bytes in base64. {how}",
    "key_not_random": "Encryption key {place} is not random. {how}",
    "key_how": (
        "Make one with: python3 -c 'import base64, secrets; "
        "print(base64.b64encode(secrets.token_bytes(32)).decode())' and keep it apart from the "
        "database. To rotate, put the new key before the old one, with a comma between, restart, "
        "and run podmeter-admin keys rotate."
    ),
    "key_unknown": (
        "The key {key} that this was encrypted with is not among the encryption keys. Put it back "
        "after the others."
    ),
    "sealed_damaged": "The encrypted data is damaged or of an unknown version.",
    "sealed_elsewhere": "The encrypted data is damaged or belongs to something else.",
}
