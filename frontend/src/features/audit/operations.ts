/** What can be chosen: operations of the API, and commands of anyone who runs the installation. */
export const OPERATIONS = [
  ...[
    "log_in",
    "finish_sign_on",
    "log_out",
    "accept_invitation",
    "use_password_reset",
    "change_password",
  ],
  ...["delete_session", "delete_sessions", "switch_organization", "leave_organization"],
  ...["create_organization", "update_organization", "update_member", "delete_member"],
  ...["reset_member", "create_invitation", "delete_invitation", "create_token", "delete_token"],
  ...["create_ci_trust", "replace_ci_trust", "delete_ci_trust", "exchange_ci_token"],
  ...["create_cluster", "update_cluster", "delete_cluster", "preflight_cluster"],
  ...["put_back_cluster", "measure_noise_floor"],
  ...["create_experiment", "replace_experiment", "delete_experiment"],
  ...[
    "create_run",
    "cancel_run",
    "conclude_run",
    "retry_run",
    "resume_run",
    "repeat_run",
    "delete_run",
  ],
  ...["create_comparison", "delete_comparison", "create_snapshot", "delete_snapshot"],
  ...["podmeter migrate", "podmeter reset-password", "podmeter confirm-address"],
  ...["podmeter token create"],
] as const;

/** What things are done to. */
export const OBJECTS = [
  ...["cluster", "experiment", "run", "comparison", "snapshot"],
  ...["member", "invitation", "organization", "token", "session", "ci_trust"],
] as const;
