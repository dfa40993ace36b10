import { expect, it } from "vitest";
import { matrix, reportOf } from "~/charts/report/example";
import { comparison, contender } from "~/comparison_view/testing";
import { ClustersPage } from "~/features/clusters/list_page";
import { NewClusterPage } from "~/features/clusters/new_page";
import { ClusterPage } from "~/features/clusters/page";
import { ComparisonPage } from "~/features/compare/page";
import { draftAddress, saveDraft } from "~/features/experiments/drafts";
import { ExperimentsPage } from "~/features/experiments/list_page";
import { NewExperimentPage } from "~/features/experiments/new_page";
import { ExperimentPage } from "~/features/experiments/page";
import { type PlainSpec, specText } from "~/features/experiments/spec_text";
import { ImportsPage } from "~/features/imports/page";
import { OverviewPage } from "~/features/overview/page";
import { ReproducedPage } from "~/features/references/reproduced_page";
import { RunsPage } from "~/features/runs/list_page";
import { RunPage } from "~/features/runs/page";
import {
  clusterOptions,
  clusterPagesOptions,
  clustersOptions,
  noiseFloorOptions,
  rbacOptions,
} from "~/queries/clusters";
import { comparisonOptions } from "~/queries/comparisons";
import {
  anyExperimentOptions,
  experimentOptions,
  experimentPagesOptions,
  planOptions,
} from "~/queries/experiments";
import { kindsOptions } from "~/queries/kinds";
import { reportOptions, runOptions, runsOptions } from "~/queries/runs";
import { type Offers, offeredByRole, offers, type Shown } from "./testing";

const ID = "00000000-0000-4000-8000-000000000001";
const AT = "2026-11-29T10:00:00Z";
const MARKS = { tags: [], notes: "", favourite: false, version: 1 };
const CHOSEN = `?chosen=["${ID}"]`;

const listOf = (...items: object[]) => ({
  pages: [{ items, next_cursor: null }],
  pageParams: [undefined],
});

const CLUSTER = {
  id: ID,
  name: "frankfurt",
  description: "",
  server: "https://192.0.2.1:6443",
  version: 1,
  cluster_uid: "uid",
  marks: MARKS,
  capabilities: null,
  preflight_state: "succeeded",
  preflighted_at: AT,
  needs_restore: false,
  restored_elsewhere: false,
  replacement: null,
  renewal_error: null,
  renew_credential: false,
  credential_expires_at: null,
  allow_mode_switch: false,
  allow_switch_by_hand: false,
  switch_by_hand_minutes: 30,
  allow_host_names: false,
  bench_image: null,
  image_pull_secret: null,
  max_requests_per_second: null,
  max_bandwidth_bits_per_second: null,
};
const UNRESTORED = {
  axis: "kube_proxy_mode",
  component: "kube-proxy",
  holder: "another",
  since: AT,
  saved: {},
};
const FLOOR = {
  runs_needed: 4,
  measured: [],
  to_measure: [{ kind: "throughput", axis: null, mode: null, expected_seconds: 60 }],
};
const MANIFEST = rbacOptions({ capability: "measure", withoutPolicy: false, renew: false });

const SPEC: PlainSpec = { name: "Modes", kind: "throughput" };
const EXPERIMENT = {
  ...{ id: ID, name: "Modes", kind: "throughput", version: 1, spec: SPEC },
  marks: { ...MARKS, tags: ["prod"] },
};
const CHANGED = specText({ ...SPEC, description: "Not saved yet" });
const COPY = specText({ ...SPEC, name: "Modes (copy)" });
const planOf = (text: string) => planOptions(text, ID, `${ID}:1`);
const message = (text: string) => ({ code: "unknown", params: {}, text });
const obstacle = (fix: string) => ({
  ...{ cluster: "frankfurt", code: fix, subject: "", axis: null, value: null, level: "note", fix },
  ...{ cause: message("an obstacle"), remedy: message("remove it") },
});
const PLAN = {
  kind: "throughput",
  repetition: { rounds: 1, seed: 1, until_decided: null },
  ...{ cases: [], blocks: [], switches: [], notes: [], impact: [], access: [], unavailable: [] },
  ...{ trials: 1, measuring_seconds: 1, switching_seconds: 1, around_seconds: 1 },
  ...{ expected_seconds: 3, measuring_pace: 1, blocks_seen: 0, switch_seconds: 1 },
  ...{ switches_seen: 0, sight: null, capability: "measure", left_out: [] },
  obstacles: [obstacle("preflight"), obstacle("allow_mode_switch")],
};

const NEXT = { code: "rounds", rounds: 12, seconds: null, trials: null, decides: 1, undecided: 1 };
const RUN = {
  ...{ id: ID, name: "Modes", kind: "throughput", state: "finished", outcome: "partial" },
  ...{ attempt: 1, labels: [], clusters: [], experiment_id: null, marks: MARKS, blocks: [] },
  ...{ created_at: AT, started_at: AT, finished_at: AT, reason: null, warnings: [] },
  ...{ cancel_requested_at: null, conclude_requested_at: null, waiting: null },
  progress: { pending: 0, running: 0, succeeded: 1, failed: 1, skipped: 0 },
  spec: { axes: [], repetition: {} },
  written: {},
};
const REPORT = {
  ...reportOf(matrix({ path: ["pod-pod"] }).map((point) => ({ point, values: { loss: 1 } }))),
  headline: { sentences: [{ code: "measured", parameters: {}, text: "measured" }] },
  next_run: NEXT,
};
const COMPARISON = comparison({ kube_proxy_mode: "iptables" }, [
  contender({ kube_proxy_mode: "ipvs" }, [], { next_run: NEXT }),
]);

const ASK_ADMIN = "Ask an administrator of your organization to do this.";
const ASK_OPERATOR = "Ask an operator of your organization to do this.";
const NO_REGISTERING = "Only an administrator of your organization can register a cluster.";
const NO_ACCESS = "Only an administrator of your organization can change a cluster.";
const NO_CONFIRMING = "An administrator can confirm these values.";
const NO_RUNNING = "Your role can view this, but not save or run it. An operator can.";
const NO_IMPORTING = /^Your role can view results but not import them/;

const onCluster = (tab: string, capabilities: object | null = null): Shown => ({
  page: <ClusterPage />,
  route: "/clusters/$clusterId",
  address: `/clusters/${ID}?tab=${tab}`,
  answers: [
    [clusterOptions(ID), { ...CLUSTER, capabilities }],
    [noiseFloorOptions(ID), FLOOR],
  ],
});
const ON_EXPERIMENT = [
  [kindsOptions, []],
  [clustersOptions, [CLUSTER]],
  [experimentOptions(ID), EXPERIMENT],
] as const;

it.each<[string, Shown, Offers]>([
  [
    "the overview",
    {
      page: <OverviewPage />,
      answers: [
        [clustersOptions, []],
        [anyExperimentOptions, false],
      ],
      texts: [ASK_ADMIN, ASK_OPERATOR],
    },
    offers(
      [ASK_ADMIN, ASK_OPERATOR],
      [ASK_ADMIN, "New experiment", "Create an experiment"],
      ["Register a cluster", "New experiment", "Create an experiment"],
    ),
  ],
  [
    "clusters, one of them selected",
    {
      page: <ClustersPage />,
      route: "/clusters",
      address: `/clusters${CHOSEN}`,
      answers: [[clusterPagesOptions({}), listOf(CLUSTER)]],
    },
    offers(
      [],
      ["Run preflight again", "Tag"],
      ["Run preflight again", "Tag", "Register a cluster", "Delete"],
    ),
  ],
  [
    "clusters, before the first one",
    {
      page: <ClustersPage />,
      route: "/clusters",
      answers: [[clusterPagesOptions({}), listOf()]],
      texts: [NO_REGISTERING, /Register the first one/],
    },
    offers(
      [NO_REGISTERING],
      [NO_REGISTERING],
      ["Register a cluster", String(/Register the first one/)],
    ),
  ],
  [
    "a new cluster's permissions",
    {
      page: <NewClusterPage />,
      route: "/clusters/new",
      answers: [[MANIFEST, "kind: Namespace"]],
      texts: [NO_REGISTERING],
    },
    offers([NO_REGISTERING], [NO_REGISTERING], ["Next"]),
  ],
  [
    "a new cluster's kubeconfig, by its address",
    {
      page: <NewClusterPage />,
      route: "/clusters/new",
      address: "/clusters/new?step=kubeconfig",
      answers: [[MANIFEST, "kind: Namespace"]],
      controls: "[type=submit]",
      texts: [NO_REGISTERING],
    },
    offers([NO_REGISTERING], [NO_REGISTERING], ["Register a cluster"]),
  ],
  [
    "a cluster, its noise floor, and a mode to restore",
    { ...onCluster("noise", { stood_before: [UNRESTORED] }), texts: [NO_CONFIRMING] },
    offers(
      [NO_CONFIRMING],
      [NO_CONFIRMING, "Share", "Add tags or notes", "Measure: Throughput"],
      ["Confirm and restore", "Share", "Add tags or notes", "Measure: Throughput"],
    ),
  ],
  [
    "access to a cluster",
    { ...onCluster("access"), controls: "button", texts: [NO_ACCESS] },
    offers(
      [NO_ACCESS],
      [NO_ACCESS, "Add tags or notes"],
      [
        ...["Add tags or notes", "Save", "Choose a file", "Replace the kubeconfig"],
        "Remove permanently (disabled)",
      ],
    ),
  ],
  [
    "experiments, one of them selected",
    {
      page: <ExperimentsPage />,
      route: "/experiments",
      address: `/experiments${CHOSEN}`,
      answers: [
        [kindsOptions, []],
        [experimentPagesOptions({}), listOf()],
      ],
    },
    offers([], ["New experiment", "Tag", "Delete"]),
  ],
  [
    "a new experiment",
    {
      page: <NewExperimentPage />,
      route: "/experiments/new",
      address: `/experiments/new?from=${ID}`,
      answers: [...ON_EXPERIMENT, [planOf(COPY), { ...PLAN, obstacles: [] }]],
      texts: [NO_RUNNING],
    },
    offers(["Save (disabled)", "Save and run (disabled)", NO_RUNNING], ["Save", "Save and run"]),
  ],
  [
    "a changed experiment, and what fixes its obstacles",
    {
      page: <ExperimentPage />,
      route: "/experiments/$experimentId",
      address: `/experiments/${ID}`,
      answers: [...ON_EXPERIMENT, [planOf(CHANGED), PLAN]],
      before: () =>
        saveDraft(draftAddress({ pathname: `/experiments/${ID}`, search: {} }), CHANGED),
      texts: [NO_RUNNING],
    },
    offers(
      [
        ...["Save (disabled)", "Save and run (disabled)", NO_RUNNING],
        "Run the preflight of frankfurt (disabled)",
        "Allow mode switches on frankfurt (disabled)",
      ],
      [
        ...["Edit tags and notes", "Share", "Delete", "Save", "Save and run"],
        "Run the preflight of frankfurt",
        "Allow mode switches on frankfurt (disabled)",
      ],
      [
        ...["Edit tags and notes", "Share", "Delete", "Save", "Save and run"],
        "Run the preflight of frankfurt",
        "Allow mode switches on frankfurt",
      ],
    ),
  ],
  [
    "runs, one of them selected",
    {
      page: <RunsPage />,
      route: "/runs",
      address: `/runs${CHOSEN}`,
      answers: [[runsOptions({}), listOf()]],
    },
    offers([], ["Tag", "Delete"]),
  ],
  [
    "a run",
    {
      page: <RunPage />,
      route: "/runs/$runId",
      address: `/runs/${ID}?tab=specification`,
      loaded: "As written",
      answers: [
        [runOptions(ID), RUN],
        [reportOptions(ID, "main"), REPORT],
        [reportOptions(ID, "all"), REPORT],
      ],
      menu: "More",
    },
    offers(
      ["Queue a run: 12 rounds (disabled)"],
      ["Queue a run: 12 rounds", "Retry failed cases", "Add tags or notes", "Delete run"],
    ),
  ],
  [
    "a comparison",
    {
      page: <ComparisonPage />,
      route: "/compare/$comparisonId",
      address: `/compare/${ID}`,
      answers: [[comparisonOptions(ID), { ...COMPARISON, outdated: false }]],
    },
    offers(["Queue a run: 12 rounds (disabled)"], ["Queue a run: 12 rounds", "Share"]),
  ],
  [
    "an import",
    { page: <ImportsPage />, route: "/imports", texts: [NO_IMPORTING] },
    offers([String(NO_IMPORTING)], []),
  ],
  [
    "articles beside runs",
    {
      page: <ReproducedPage />,
      route: "/references/reproduced",
      address: `/references/reproduced?of=article:${ID}`,
    },
    offers([], ["Share"]),
  ],
])("%s: each role is offered what it may do", async (_, shown, expected) => {
  expect(await offeredByRole(shown)).toEqual(expected);
});
