"""Errors of requests: documents, parameters, permissions, and the state of the database."""

SENTENCES = {
    # HTTP.
    "internal": "an internal error occurred; the log of the API has the details",
    "body_not_json": "the body is not valid JSON",
    "request_invalid": "the request is not valid",
    "database_away": "the database is unavailable; try again",
    "media_type_asked": "send the experiment as application/json or application/yaml",
    "media_type_not_taken": "the media type {type} is not supported",
    "path_unknown": "this path does not exist",
    "method_not_allowed": "the path does not support this method",
    "key_reused": "this Idempotency-Key was already used for a different request",
    "snapshot_gone": "this snapshot does not exist; the link may be wrong, revoked or expired",
    "another_organization": "your session has switched to another organization; reload the page",
    "logins_uncounted": "login is temporarily unavailable; try again in a minute",
    "logins_too_many": "too many failed logins; try again in {seconds} s",
    "origin_refused": (
        "requests from the origin '{origin}' are not allowed; PODMETER_PUBLIC_URL sets the "
        "allowed one"
    ),
    "origin_another": "another origin",
    "csrf_needed": (
        "a request with a session cookie needs the CSRF token in the header {header}; GET /me "
        "returns it"
    ),
    "csrf_wrong": "missing or wrong",
    "etag_unknown": "If-Match is not an ETag of this API",
    "body_too_large": "the body is larger than {kib} KiB",
    "body_too_deep": "the body is nested more than {depth} levels deep",
    "body_too_many": "the body has more than {most} keys and items",
    "query_too_long": "the query is longer than {kib} KiB",
    "headers_too_large": "the headers are larger than {kib} KiB",
    "requests_too_many": "too many of your requests are running; try again in a moment",
    "request_too_slow": "the request did not arrive in time",
    "connections_too_many": (
        "your IP address has more than {most} open connections; close some, or try again in a "
        "moment"
    ),
    "lane_full": "Podmeter is busy; try again in a moment",
    "streams_too_many": (
        "you have {most} open event streams, the maximum per user; close another page that "
        "shows a running run"
    ),
    "character_refused": (
        "the character {code} ({name}) at position {place} cannot be displayed safely; remove it"
    ),
    # Stored documents of another version's form.
    "stored_comparison": (
        "this comparison was stored by another version of Podmeter and cannot be read; compare "
        "the runs again to compute a new comparison"
    ),
    "stored_snapshot": (
        "this shared page was stored by another version of Podmeter and cannot be read; ask its "
        "owner to share the results again, which makes a new link"
    ),
    "stored_preflight_report": (
        "the cluster's preflight report was stored by another version of Podmeter and cannot be "
        "read; run the preflight again to write a new report"
    ),
    "stored_fingerprint": (
        "a fingerprint of the cluster was stored by another version of Podmeter and cannot be "
        "read; run the preflight to record a new one, and measure again to compare with it"
    ),
    "stored_experiment": (
        "this experiment was stored by another version of Podmeter and cannot be read; create "
        "the experiment again, and delete this one"
    ),
    "stored_run": (
        "this run was stored by another version of Podmeter and cannot be read; run its "
        "experiment again to get new results"
    ),
    "stored_trial": (
        "this trial was stored by another version of Podmeter and cannot be read; run the "
        "experiment again to measure it again"
    ),
    "stored_message": "this message was stored by another version of Podmeter and cannot be read",
    # Things that are not there, or not as the caller knows them.
    "no_such_cluster": "no such cluster",
    "no_such_comparison": "no such comparison",
    "no_such_ci_trust": "no such CI trust",
    "no_such_experiment": "no such experiment",
    "nothing_published": "no published figures for this kind exist there",
    "no_such_reference": "no such reference",
    "no_such_invitation": (
        "this invitation does not exist; the link may be wrong, used, expired or revoked"
    ),
    "no_such_member": "no such member",
    "no_such_organization": "no such organization",
    "no_such_password_reset": (
        "this link does not set a password; it may be wrong, used, expired or replaced by a "
        "newer link"
    ),
    "no_such_run": "no such run",
    "no_such_session": "no such session",
    "no_such_snapshot": "no such snapshot",
    "no_such_token": "no such token",
    "no_such_trial": "no such trial",
    "no_such_user": "no such user",
    "cluster_changed_meanwhile": (
        "the cluster has changed in the meantime; its version is now {version}"
    ),
    "experiment_changed_meanwhile": (
        "the experiment has changed in the meantime; its version is now {version}"
    ),
    "ci_trust_changed_meanwhile": (
        "the CI trust was changed meanwhile; its version is now {version}"
    ),
    "experiment_already_there": (
        "an experiment with this slug exists (version {version}); update it with If-Match"
    ),
    "slug_malformed": (
        "a slug has lowercase letters and digits, separated by single hyphens; for example {slug}"
    ),
    "runs_of_two_experiments": "the two runs belong to different experiments",
    "runs_not_finished": "one of the two runs has not finished",
    "marks_changed_meanwhile": (
        "the tags or notes have changed in the meantime; their version is now {version}"
    ),
    "member_changed_meanwhile": (
        "the member has changed in the meantime; the version is now {version}"
    ),
    "organization_changed_meanwhile": (
        "the organization has changed in the meantime; its version is now {version}"
    ),
    "cursor_unknown": "the cursor does not belong to this list",
    # Who asks.
    "login_refused": "the email address or the password is wrong",
    "session_ended": "the session has ended; log in again",
    "token_unknown": "the token is unknown, expired or revoked",
    "not_logged_in": "log in, or send an API token in the header Authorization: Bearer",
    "role_needed": "this needs the role {role}; your role is {own}",
    "password_wrong": "the password is wrong",
    "person_needed": "members are managed by people, not by API tokens; log in",
    "scope_too_narrow": (
        "this token is limited to one cluster or experiment and has no access to this"
    ),
    "token_two_scopes": "a token can be limited to a cluster or to an experiment, not to both",
    "token_makes_token": "an API token cannot create tokens; log in",
    "host_unknown": (
        "Podmeter does not serve the host '{host}'. Use the address in PODMETER_PUBLIC_URL, or "
        "add the host to PODMETER_ALLOWED_HOSTS."
    ),
    "host_another": "unknown host",
    # Organizations and their members.
    "address_malformed": (
        "This is not a valid email address: it needs one @, and no spaces, invisible "
        "characters or letters that look like others."
    ),
    "organization_name_reserved": (
        "Single sign-on is set up for an organization with this name. Choose another name."
    ),
    "last_admin": (
        "the organization needs at least one administrator; make another member an "
        "administrator first"
    ),
    "member_already": "{email} is already a member",
    "reset_elsewhere": (
        "the member also belongs to an organization that you do not administer; ask the "
        "operator of Podmeter for a link (`podmeter-admin reset-password`)"
    ),
    "quota_clusters": "the organization has {most} clusters, which is its limit",
    "quota_queued_runs": "the organization has {most} queued runs, which is its limit",
    "quota_organizations": "you administer {most} organizations, which is the limit",
    # Clusters.
    "cluster_in_use": "an unfinished run uses the cluster; cancel it first",
    "cluster_switched": "a mode of the cluster has not been restored; restore it first",
    "stood_before_unlike": (
        "this does not match the original mode that the latest preflight found; run the "
        "preflight again"
    ),
    "put_back_confirmed": "{who} confirmed the original mode; it is being restored",
    "cluster_not_marked": "the cluster is not marked as needing restore",
    "cluster_busy": "an unfinished run uses the cluster",
    "kubeconfig_run_under_way": (
        "a run is using the cluster and needs this kubeconfig to restore its modes; replace "
        "the kubeconfig after the run has finished, or cancel the run first"
    ),
    "image_run_under_way": (
        "a run is using the cluster and needs its current image; change the image or its pull "
        "secret after the run has finished, or cancel the run first"
    ),
    "image_scheme": (
        "an image is named without a scheme: registry.example/team/bench:0.1.0, not https://…"
    ),
    "image_space": "an image name cannot contain spaces",
    "image_digest": "a digest is written as @sha256: and 64 characters 0-9 and a-f, after the name",
    "image_tag": "a tag has at most 128 letters, digits, dots, dashes and underscores",
    "image_upper_case": "an image name must be in lower case",
    "image_malformed": (
        "this is not a valid image name; an example is registry.example/team/bench:0.1.0, "
        "optionally followed by @sha256: and the digest"
    ),
    "secret_name_malformed": (
        "this is not a valid Secret name; use lower-case letters, digits, dashes and dots"
    ),
    "cluster_name_taken": "a cluster named '{name}' is already registered",
    "cluster_needs_restore": "the cluster '{cluster}' needs restore: {reason}",
    "cluster_restored_elsewhere": (
        "the cluster '{cluster}' is also registered under another name; restore its mode "
        "through that registration before you start a run"
    ),
    "credential_too_short": (
        "the credentials of '{cluster}' expire at {expires} UTC, in {left} min; the run takes "
        "about {planned} min and needs {margin} min more for cleanup. Register a kubeconfig "
        "that is valid for longer"
    ),
    "host_names_not_allowed": (
        "the experiment uses {hosts} (host_name, ingress_address), and the owner of "
        "'{cluster}' has not allowed custom hosts (allow_host_names); ask an administrator to "
        "allow them, or remove these parameters"
    ),
    # Runs.
    "run_finished": "the run has finished ({outcome})",
    "run_cancelling": "the run is being cancelled",
    "run_rounds_fixed": (
        "the run has a fixed number of rounds; cancel it, or let it end: only runs until decided "
        "can be concluded early"
    ),
    "run_not_finished": "the run has not finished; cancel it first",
    "run_cluster_gone": (
        "a cluster of the run is no longer registered, so the run cannot be continued; start a "
        "new run on a registered cluster"
    ),
    "run_mode_not_restored": "a mode that the run switched has not been restored",
    "etag_missing": (
        "updates require the header If-Match with the current ETag, which GET returns: the "
        '`version` in quotes, such as "3"; * matches any version'
    ),
    "precondition_missing": (
        "send If-None-Match: * to create the experiment, or If-Match with its ETag to update it"
    ),
    "precondition_both": "send If-Match or If-None-Match, not both",
    "none_match_any": "If-None-Match takes * alone: create, unless it exists",
    "header_missing": "missing",
    "parameter_unknown": "the operation does not support this query parameter",
    "parameter_unknown_known": "unknown parameter; supported: {known}",
    "parameter_unknown_none": "unknown parameter; supported: none",
    "run_cannot_go": "a run cannot change from {state} to {to}",
    "run_no_outcome_yet": "a run that changes to {to} has no outcome yet",
    "run_outcome_needed": "a run that changes to {to} needs an outcome",
    "run_reason_needed": "the outcome {outcome} needs a reason",
    "run_not_taken_up": "a run with outcome {ended} cannot be continued by {why}",
    # Documents.
    "fault_at": "{pointer}: {what}",
    "fault_count": "{count} problems",
    "not_valid": "not valid {language}: {said}",
    "yaml_alias": "YAML aliases (*name) are not supported",
    "too_deep": "nested more than {depth} levels deep",
    "too_large": "larger than {kib} KiB",
    "too_many_nodes": "has more than {most} keys and items",
    "key_twice": "'{name}' is defined twice",
    "key_twice_at": "defined twice, on lines {first} and {second}",
    "not_storable": "contains a NUL or an incomplete character, which cannot be stored",
    # What pydantic finds, by its own types.
    "input_missing": "This field is required",
    "input_extra_forbidden": "Unknown field",
    "input_model_type": "Input should be a valid dictionary or instance of {class_name}",
    "input_dict_type": "This must be a mapping",
    "input_list_type": "This must be a list",
    "input_tuple_type": "This must be a list",
    "input_string_type": "This must be text",
    "input_int_type": "This must be a whole number",
    "input_int_parsing": "This must be a whole number",
    "input_int_from_float": "This must be a whole number, without a fraction",
    "input_float_type": "This must be a number",
    "input_float_parsing": "This must be a number",
    "input_bool_type": "This must be true or false",
    "input_bool_parsing": "This must be true or false",
    "input_enum": "Input should be {expected}",
    "input_literal_error": "Input should be {expected}",
    "input_greater_than_equal": "Input should be greater than or equal to {ge}",
    "input_greater_than": "Input should be greater than {gt}",
    "input_less_than_equal": "Input should be less than or equal to {le}",
    "input_less_than": "Input should be less than {lt}",
    "input_string_too_short": "Input should have at least {min_length} characters",
    "input_string_too_long": "Input should have at most {max_length} characters",
    "input_string_pattern_mismatch": "Input should match pattern '{pattern}'",
    "input_too_short": "Input should have at least {min_length} items, not {actual_length}",
    "input_too_long": "Input should have at most {max_length} items, not {actual_length}",
    "input_uuid_parsing": "Input should be a valid UUID, {error}",
    "input_uuid_type": "Input should be a valid UUID",
    "input_datetime_parsing": "Input should be a valid datetime, {error}",
    "input_datetime_from_date_parsing": "Input should be a valid datetime or date, {error}",
    "input_timezone_aware": "Input should have timezone info",
    "input_none_required": "This must be null",
    # Specifications.
    "value_word_or_whole": "must be a word or a whole number",
    "value_quote": (
        "true and false are not words here. Quote the word that you mean, such as 'on' or 'off'"
    ),
    "value_length": "must have 1 to {most} characters",
    "rounds_or_until_decided": "set either rounds or until_decided, not both",
    "values_count": "must have 1 to {most} values",
    "ports_alike": "the two ports must be different",
    "concurrency_over_requests": "concurrency must not exceed requests",
    "min_period_over_period": "min_sync_period_seconds must not exceed sync_period_seconds",
    "rungs_need_stay": (
        "measuring rung by rung requires that Services stay: also set {parameter}, or remove "
        "this parameter"
    ),
    "stay_needs_mode": (
        "services_stay requires switching kube-proxy's mode: add the axis {axis} with the "
        "modes to compare"
    ),
    "stay_excludes": (
        "services_stay cannot be combined with {axis}: switching the pod network recreates the "
        "backend of the Services. Remove one of the two"
    ),
    "stay_needs_one": "with services_stay all Services have one type: give one value of {axis}",
    "periods_need_mode": (
        "kube-proxy's sync periods are set together with its mode: add the axis {axis}, with "
        "only the current mode if you compare no others"
    ),
    "snapshot_subject": (
        "set exactly one of run_id, comparison_id, experiment_id, cluster_id and reproduction"
    ),
    "picture_invalid": (
        "the picture must be a PNG of {width} × {height} pixels and at most {most} KiB"
    ),
    "kind_unknown": "unknown kind {kind}; supported: {offered}",
    "axis_unknown": "unknown axis; this kind has {axes}",
    "axis_value_twice": "{value} is listed twice",
    "axis_no_cluster": "must be the name of a registered cluster",
    "axis_not_whole": "{value} is not a whole number",
    "axis_too_small": "{value} is less than the minimum of {least}",
    "axis_too_large": "{value} is more than the maximum of {most}",
    "axis_not_choice": "{value} is not one of {choices}",
    "no_case": "no combination of these values is a valid case",
    "pair_unreadable": (
        "{value} is not valid; use a pair of nodes such as node-1~node-2, or one, all, zones, "
        "or a sample such as sample-20"
    ),
    "pair_of_itself": "a pair needs two different nodes; this one has {node} twice",
    "pairs_selected_alone": "'{value}' already selects pairs of nodes; use it as the only value",
    "pairs_of_clusters": (
        "several clusters have different nodes and pairs; name the pairs, or measure one "
        "cluster per run"
    ),
    "zones_unknown": (
        "{count} nodes have no known zone ({nodes}): label them with "
        "topology.kubernetes.io/zone and run the preflight again, or use a sample of pairs, "
        "such as sample-20"
    ),
    "too_many_pairs": (
        "{nodes} nodes make {pairs} pairs, and with the other axes at most {most} fit into a "
        "run; use a sample, such as sample-20"
    ),
    "nodes_unknown": "the cluster's nodes are not known yet; run its preflight first",
    "plan_pairs_open": (
        "the number of node pairs for '{value}' depends on the cluster; the plan assumes one "
        "until you choose a cluster"
    ),
    "plan_until_decided_short": (
        "{rounds} rounds, the minimum for a verdict, take longer than {minutes} min; the run "
        "would end undecided"
    ),
    "too_many_points": "these axes have {points} combinations; the maximum is {most}",
    "too_many_cases": "these axes give {cases} cases; the maximum is {most}",
    "too_many_trials": "these cases need {trials} trials in all rounds; the maximum is {most}",
    "cluster_named_already": "the experiment already sets the clusters in its axis `cluster`",
    "cluster_which": "choose the cluster to measure",
    "cluster_unknown": "no cluster named '{name}' is registered",
    # Comparisons.
    "kinds_unlike": "runs of different kinds ({kinds}) cannot be compared",
    "case_unknown": "the run has no such case",
    "nothing_there": "the run has no case with these values",
    "no_pair": "no case matches a case of the baseline on the axes that both have",
    "pick_value": (
        "{axis} differs between the two sides and has several values ({values}): choose one in "
        "`where`"
    ),
}
