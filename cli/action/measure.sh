#!/usr/bin/env bash
# What the action runs: measure, show, comment, and exit by the verdict.
set -uo pipefail

if ! command -v podmeter >/dev/null; then
  python3 -m venv "$RUNNER_TEMP/podmeter-cli" &&
    "$RUNNER_TEMP/podmeter-cli/bin/pip" install --quiet --disable-pip-version-check "$INSTALL" || exit 3
  export PATH="$RUNNER_TEMP/podmeter-cli/bin:$PATH"
fi

if [ -z "${PODMETER_TOKEN:-}" ]; then
  # Not in the home of a runner that others use, too.
  export XDG_CONFIG_HOME="$RUNNER_TEMP/podmeter-config"
  podmeter login "$PODMETER_URL" --ci --trust "$TRUST" ${AUDIENCE:+--audience "$AUDIENCE"} || exit $?
fi

labels=(--label "commit=${GITHUB_SHA:-unknown}" --label "branch=${GITHUB_HEAD_REF:-${GITHUB_REF_NAME:-unknown}}")
if [ -n "${GITHUB_RUN_ID:-}" ]; then
  labels+=(--label "ci=$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID")
fi
results="$RUNNER_TEMP/podmeter-$KEY.md"
podmeter run "$SPEC" --cluster "$CLUSTER" ${UNTIL_DECIDED:+--until-decided "$UNTIL_DECIDED"} \
  ${AGAINST:+--against "$AGAINST"} ${LONGEST:+--max "$LONGEST"} "${labels[@]}" --wait --if-interrupted cancel \
  --output markdown >"$results"
code=$?
echo "exit-code=$code" >>"$GITHUB_OUTPUT"
# A run that was refused has no results: the reason is in the job's log.
[ -s "$results" ] || echo "### Podmeter: could not run (exit code $code). The job's log says why." >"$results"
cat "$results" >>"$GITHUB_STEP_SUMMARY"

if [ "$COMMENT" = true ] && [ "${GITHUB_EVENT_NAME:-}" = pull_request ]; then
  # The verdict stands even where the comment cannot be written, as from a fork.
  podmeter comment "$results" --key "$KEY" || echo "::warning::The comment was not written."
fi

[ "$code" = 2 ] && [ "$ACCEPT_UNDECIDED" = true ] && exit 0
exit "$code"
