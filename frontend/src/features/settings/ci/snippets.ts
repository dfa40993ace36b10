import type { CiTrust } from "~/queries/ci";

/** What a workflow of GitHub has to say. */
export const githubSnippet = (
  trust: CiTrust,
  url: string,
): string => `permissions: { id-token: write, contents: read, pull-requests: write }
steps:
  - uses: actions/checkout@v4
  - uses: ./podmeter/cli/action
    with: { spec: experiment.yaml, cluster: my-cluster, until-decided: 10%, install: ./podmeter/cli,
            url: "${url}", trust: ${trust.id}${trust.audience === url ? "" : `, audience: "${trust.audience}"`} }
`;

/** What a pipeline of GitLab has to say. */
export const gitlabSnippet = (trust: CiTrust, url: string): string => `include:
  - local: podmeter/cli/gitlab/measure.yml
    inputs: { spec: experiment.yaml, cluster: my-cluster, until-decided: 10%, install: ./podmeter/cli,
              url: "${url}", trust: ${trust.id}, audience: "${trust.audience}" }
`;
