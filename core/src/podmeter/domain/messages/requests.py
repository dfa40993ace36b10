"""What is wrong with a request: documents, parameters, rights, what stands in the database."""

SENTENCES = {
    # HTTP.
    "internal": "something went wrong here; it was logged",
    "body_not_json": "the body is not valid JSON",
    "request_invalid": "the request does not validate",
    "database_away": "the database cannot be reached; try again",
    "media_type_asked": "send the experiment as application/json or application/yaml",
    "media_type_not_taken": "{type} is not taken",
    "path_unknown": "no such path",
    "method_not_allowed": "the path does not take this method",
    "key_reused": "this Idempotency-Key was used for another request",
    "snapshot_gone": "no such snapshot; its link may be wrong, revoked or expired",
    "another_organization": (
        "this is about another organization than the one that the session acts in by now"
    ),
    "logins_uncounted": "logins cannot be counted now, so none is allowed; try again",
    "logins_too_many": "too many failed logins; try again in {seconds} s",
    "origin_refused": (
        "requests from the origin '{origin}' are refused; PODMETER_PUBLIC_URL names ours"
    ),
    "origin_another": "another origin",
    "csrf_needed": "a session needs its CSRF token in the header {header}; GET /me gives it",
    "csrf_wrong": "missing or wrong",
    "etag_unknown": "If-Match is not an ETag that this API gave",
    "body_too_large": "the body is larger than {kib} KiB",
    "body_too_deep": "the body is nested more than {depth} levels deep",
    "body_too_many": "the body has more than {most} keys and items",
    "query_too_long": "the query is longer than {kib} KiB",
    "headers_too_large": "the headers are larger than {kib} KiB",
    "requests_too_many": "too many of your requests are in progress; try again in a moment",
    "request_too_slow": "the request did not arrive in time",
    "connections_too_many": (
        "your address has more than {most} connections open; close some, or try again in a moment"
    ),
    "lane_full": "Podmeter is busy; try again in a moment",
    "streams_too_many": (
        "you have {most} event streams open, as many as one user may; close another page that "
        "shows a run in progress"
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
    "stored_message": "a message of another version of Podmeter, which cannot be read",
    # Things that are not there, or not as the caller knows them.
    "no_such_cluster": "no such cluster",
    "no_such_comparison": "no such comparison",
    "no_such_ci_trust": "no such CI trust",
    "no_such_experiment": "no such experiment",
    "nothing_published": "nothing was published there of what this kind measures",
    "no_such_reference": "no such reference",
    "no_such_invitation": (
        "no such invitation; its link may be wrong, used, expired or taken back"
    ),
    "no_such_member": "no such member",
    "no_such_organization": "no such organization",
    "no_such_password_reset": (
        "this link sets no password; it may be wrong, used, expired or replaced by a later one"
    ),
    "no_such_run": "no such run",
    "no_such_session": "no such session",
    "no_such_snapshot": "no such snapshot",
    "no_such_token": "no such token",
    "no_such_trial": "no such trial",
    "no_such_user": "no such user",
    "cluster_changed_meanwhile": (
        "the cluster was changed meanwhile; its version is now {version}"
    ),
    "experiment_changed_meanwhile": (
        "the experiment was changed meanwhile; its version is now {version}"
    ),
    "ci_trust_changed_meanwhile": (
        "the CI trust was changed meanwhile; its version is now {version}"
    ),
    "experiment_already_there": (
        "an experiment with this slug exists; its version is {version}. Update it with If-Match"
    ),
    "slug_malformed": (
        "a slug has small letters and digits, parted by single hyphens, and is no id; as '{slug}'"
    ),
    "runs_of_two_experiments": "the two are not runs of one experiment",
    "runs_not_finished": "one of the two runs has not ended yet",
    "marks_changed_meanwhile": (
        "its tags or notes were changed meanwhile; their version is now {version}"
    ),
    "member_changed_meanwhile": "the member was changed meanwhile; the version is now {version}",
    "organization_changed_meanwhile": (
        "the organization was changed meanwhile; its version is now {version}"
    ),
    "cursor_unknown": "the cursor is not one that this list gave",
    # Who asks.
    "login_refused": "the address or the password is wrong",
    "session_ended": "the session has ended; log in again",
    "token_unknown": "the token is unknown, expired or revoked",
    "not_logged_in": "log in, or send an API token as Authorization: Bearer",
    "role_needed": "this needs the role {role}; yours is {own}",
    "password_wrong": "the password is wrong",
    "person_needed": "who may enter is decided by people, not by tokens: log in",
    "scope_too_narrow": "this token is held to one thing, and does not reach this",
    "token_two_scopes": "a token is held to a cluster or to an experiment, not to both",
    "token_makes_token": "a token cannot make tokens; log in",
    "host_unknown": (
        "Podmeter does not answer to the host '{host}'. Use the address in PODMETER_PUBLIC_URL, or "
        "add the host to PODMETER_ALLOWED_HOSTS."
    ),
    "host_another": "unknown host",
    # Organizations and their members.
    "address_malformed": (
        "This is no e-mail address: it needs one @, and no spaces, invisible characters or letters "
        "that look like others."
    ),
    "organization_name_reserved": (
        "Single sign-on is set up for an organization with this name. Choose another name."
    ),
    "last_admin": (
        "nobody would be left to administer the organization; make somebody else an administrator "
        "first"
    ),
    "member_already": "{email} is a member already",
    "reset_elsewhere": (
        "the member also belongs to an organization that you do not administer: whoever runs "
        "Podmeter can make a link with `podmeter-admin reset-password`"
    ),
    "quota_clusters": "the organization has {most} clusters, as many as it may",
    "quota_queued_runs": "{most} runs of the organization are queued, as many as may be",
    "quota_organizations": "you administer {most} organizations, as many as you may",
    # Clusters.
    "cluster_in_use": "a run that has not finished needs the cluster; cancel it first",
    "cluster_switched": "a mode of the cluster is still switched; restore it first",
    "stood_before_unlike": (
        "this is not what the cluster's latest preflight found noted; look at the cluster again"
    ),
    "put_back_confirmed": "{who} confirmed what stood before a switch; it is being put back",
    "cluster_not_marked": "the cluster is not marked as needing restore",
    "cluster_busy": "a run that has not finished uses the cluster",
    "kubeconfig_run_under_way": (
        "a run is under way on the cluster, and puts its modes back through this kubeconfig; give "
        "another one when the run has finished, or cancel it first"
    ),
    "image_run_under_way": (
        "a run is under way on the cluster, and keeps the image that it began with; change the "
        "image or its pull secret when the run has finished, or cancel it first"
    ),
    "image_scheme": (
        "an image is named without a scheme: registry.example/team/bench:0.1.0, not https://…"
    ),
    "image_space": "an image's name has no spaces in it",
    "image_digest": "a digest is sha256: and 64 of 0-9 and a-f, after the name and an @",
    "image_tag": "a tag has at most 128 letters, digits, dots, dashes and underscores",
    "image_upper_case": "an image's name is in lower case",
    "image_malformed": (
        "this is no image's name; registry.example/team/bench:0.1.0 is one, and may end in "
        "@sha256: and its digest"
    ),
    "secret_name_malformed": (
        "this is no name of a Secret: it has lower-case letters, digits, dashes and dots"
    ),
    "cluster_name_taken": "a cluster named '{name}' is registered already",
    "cluster_needs_restore": "the cluster '{cluster}' needs restore: {reason}",
    "cluster_restored_elsewhere": (
        "the cluster '{cluster}' is registered a second time, and is to be restored through that "
        "registration before any run may begin on it"
    ),
    "credential_too_short": (
        "the credentials of '{cluster}' expire at {expires} UTC, in {left} min; the run takes "
        "about {planned} min, and {margin} min more are wanted to clean up after it: give the "
        "cluster a kubeconfig that is valid for longer"
    ),
    "host_names_not_allowed": (
        "the experiment asks for {hosts} (host_name, ingress_address), and the owner of "
        "'{cluster}' has not allowed hosts of its choice (allow_host_names); ask an administrator "
        "to allow them, or leave these parameters out"
    ),
    # Runs.
    "run_finished": "the run has finished ({outcome})",
    "run_not_finished": "the run has not finished; cancel it first",
    "run_cluster_gone": "a cluster of the run is not registered any more, so nothing more can be "
    "measured in it; start a new run on a cluster that is",
    "run_mode_not_restored": "a mode that the run switched is still to be restored",
    "etag_missing": (
        "say in If-Match which version the change is based on: the ETag that a GET gave, which is "
        'the `version` in quotes, such as "3"; * is any'
    ),
    "precondition_missing": (
        "send If-None-Match: * to create the experiment, or If-Match with its ETag to update it"
    ),
    "precondition_both": "send If-Match or If-None-Match, not both",
    "none_match_any": "If-None-Match takes * alone: create, unless it exists",
    "header_missing": "missing",
    "parameter_unknown": "the operation does not have such a query parameter",
    "parameter_unknown_known": "not a parameter here; it takes {known}",
    "parameter_unknown_none": "not a parameter here; it takes none",
    "run_cannot_go": "a run cannot go from {state} to {to}",
    "run_no_outcome_yet": "a run that goes to {to} has no outcome yet",
    "run_outcome_needed": "a run that goes to {to} needs an outcome",
    "run_reason_needed": "the outcome {outcome} needs a reason",
    "run_not_taken_up": "a run that is {ended} cannot be taken up again by {why}",
    # Documents.
    "fault_at": "{pointer}: {what}",
    "not_valid": "not valid {language}: {said}",
    "yaml_alias": "YAML aliases (*name) are not taken",
    "too_deep": "nested more than {depth} deep",
    "too_large": "larger than {kib} KiB",
    "too_many_nodes": "has more than {most} keys and items",
    "key_twice": "'{name}' is given twice",
    "key_twice_at": "given twice, on lines {first} and {second}",
    "not_storable": "has a NUL or half a character, which cannot be stored",
    # What pydantic finds, by its own types.
    "input_missing": "Field required",
    "input_extra_forbidden": "Extra inputs are not permitted",
    "input_model_type": "Input should be a valid dictionary or instance of {class_name}",
    "input_dict_type": "Input should be a valid dictionary",
    "input_list_type": "Input should be a valid list",
    "input_tuple_type": "Input should be a valid tuple",
    "input_string_type": "Input should be a valid string",
    "input_int_type": "Input should be a valid integer",
    "input_int_parsing": ("Input should be a valid integer, unable to parse string as an integer"),
    "input_int_from_float": (
        "Input should be a valid integer, got a number with a fractional part"
    ),
    "input_float_type": "Input should be a valid number",
    "input_float_parsing": ("Input should be a valid number, unable to parse string as a number"),
    "input_bool_type": "Input should be a valid boolean",
    "input_bool_parsing": "Input should be a valid boolean, unable to interpret input",
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
    "input_none_required": "Input should be None",
    # Specifications.
    "value_word_or_whole": "must be a word or a whole number",
    "value_length": "must have 1 to {most} characters",
    "rounds_or_until_decided": "give either rounds or until_decided",
    "values_count": "must have 1 to {most} values",
    "ports_alike": "the two ports must differ",
    "concurrency_over_requests": "concurrency must not exceed requests",
    "min_period_over_period": "the least time between two syncs must not exceed the sync period",
    "rungs_need_stay": (
        "rungs are measured in turn while Services stay: set {parameter}, too, or leave it out"
    ),
    "stay_needs_mode": (
        "Services stay while kube-proxy's mode is switched: name the axis {axis}, with the modes "
        "to compare"
    ),
    "stay_excludes": (
        "Services do not stay while {axis} is switched, since their backend is made anew with the "
        "pod network: leave one of the two out"
    ),
    "stay_needs_one": "Services that stay are of one type: name one value of {axis}",
    "periods_need_mode": (
        "kube-proxy's sync periods are set with its mode: name the axis {axis}, with the one mode "
        "that stands if no other is to be measured"
    ),
    "snapshot_subject": (
        "give one of run_id, comparison_id, experiment_id, cluster_id and reproduction"
    ),
    "picture_invalid": "not a PNG of {width} × {height} pixels and at most {most} KiB",
    "kind_unknown": "{kind} is not offered; {offered} are",
    "axis_unknown": "unknown axis; this kind knows {axes}",
    "axis_value_twice": "{value} is given twice",
    "axis_no_cluster": "must name a registered cluster",
    "axis_not_whole": "{value} is not a whole number",
    "axis_too_small": "{value} is less than {least}",
    "axis_too_large": "{value} is more than {most}",
    "axis_not_choice": "{value} is not one of {choices}",
    "no_case": "these axes leave no case to run",
    "pair_unreadable": (
        "{value} is neither a pair of nodes, such as node-1~node-2, nor one, all, zones or a "
        "sample, such as sample-20"
    ),
    "pair_of_itself": "a pair needs two nodes; this is {node} twice",
    "pairs_selected_alone": "'{value}' stands for all pairs that are measured; give it alone",
    "pairs_of_clusters": (
        "the nodes of several clusters make other pairs each; name the pairs, or measure one "
        "cluster a run"
    ),
    "zones_unknown": (
        "no zone is known of {count} nodes ({nodes}): label them topology.kubernetes.io/zone and "
        "look at the cluster again, or take a sample of pairs, such as sample-20"
    ),
    "too_many_pairs": (
        "{nodes} nodes make {pairs} pairs, and with the other axes at most {most} of them fit "
        "into a run; take a sample of them, such as sample-20"
    ),
    "nodes_unknown": (
        "which nodes the cluster has is not known yet; look at it first (its preflight)"
    ),
    "plan_pairs_open": (
        "how many pairs of nodes '{value}' comes to is the cluster's to say; planned is one, until "
        "a cluster is chosen"
    ),
    "plan_until_decided_short": (
        "{rounds} rounds, the fewest that can decide, take longer than {minutes} min; the run ends "
        "undecided when its time is over"
    ),
    "too_many_points": "these axes have {points} combinations, more than {most}",
    "too_many_cases": "these axes give {cases} cases, more than {most}",
    "too_many_trials": "these cases take {trials} trials in all rounds, more than {most}",
    "cluster_named_already": "the experiment's axis `cluster` names the clusters already",
    "cluster_which": "which cluster is to be measured?",
    "cluster_unknown": "no cluster named '{name}' is registered",
    # Comparisons.
    "kinds_unlike": "runs of different kinds ({kinds}) have nothing in common",
    "case_unknown": "the run has no such case",
    "nothing_there": "no case of the run lies there",
    "no_pair": "no case agrees with one of the baseline on the axes that both have",
    "pick_value": (
        "{axis} differs between the sides and has several values here ({values}): pick one in "
        "`where`"
    ),
}
