import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  notFound,
  type RouteComponent,
  redirect,
} from "@tanstack/react-router";
import type { FC } from "react";
import { ProblemError } from "~/api/problem";
import { readLoginSearch } from "~/features/accounts/search";
import { readAuditSearch } from "~/features/audit/search";
import {
  readClusterSearch,
  readClustersSearch,
  readNewClusterSearch,
} from "~/features/clusters/search";
import {
  readCompareSearch,
  readComparisonSearch,
  readComparisonsSearch,
} from "~/features/compare/search";
import {
  readExperimentSearch,
  readExperimentsSearch,
  readNewExperimentSearch,
} from "~/features/experiments/search";
import { readReproducedSearch } from "~/features/references/search";
import { readRunSearch, readRunsSearch } from "~/features/runs/search";
import { readSnapshotsSearch } from "~/features/snapshots/search";
import { meOptions } from "~/queries/accounts";
import { reportOptions, runOptions } from "~/queries/runs";
import { Missing, type Resource } from "~/ui/missing";
import { FailedContent, FailedPage, UnknownPage } from "./failed_page";
import { lazyPage } from "./lazy_page";
import { Shell } from "./shell";
import { FailedShell, WaitingShell } from "./without_server";

/** Every address of the application; each page's search parameters are read by its feature. */
interface Context {
  client: QueryClient;
}

const modules = import.meta.glob<Record<string, FC>>("../features/**/*page.tsx");

/** A page, loaded when it is first visited. By name: its type would depend on the router's. */
function page(module: string, name: string): RouteComponent {
  const load = modules[`../features/${module}.tsx`];
  if (load === undefined) throw new Error(`there is no features/${module}.tsx`);
  return lazyPage(load, name);
}

type Search = Record<string, unknown>;

/** The language that an address asks for is no page's own. */
const EVERYWHERE = ["lang"];

/** Of its address a page gets what it reads of it, and not, as the router has it, the rest too. */
function only<Read extends (search: Search) => object>(read: Read): Read {
  return ((search) => {
    const rest = Object.keys(search).filter((key) => !EVERYWHERE.includes(key));
    return { ...Object.fromEntries(rest.map((key) => [key, undefined])), ...read(search) };
  }) as Read;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What is no identifier names nothing, and the API need not be asked. */
function identified(id: string): void {
  if (!UUID.test(id)) throw notFound();
}

/** Says in the page's place that what it is about is not there. */
const missing = (what: Resource) => () => <Missing what={what} />;

const root = createRootRouteWithContext<Context>()({
  notFoundComponent: UnknownPage,
  errorComponent: FailedPage,
});

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: only(readLoginSearch),
  component: page("accounts/login_page", "LoginPage"),
});

const signOn = createRoute({
  getParentRoute: () => root,
  path: "/sign-on",
  component: page("accounts/sign_on_page", "SignOnPage"),
});

const join = createRoute({
  getParentRoute: () => root,
  path: "/join",
  component: page("accounts/join_page", "JoinPage"),
});

const reset = createRoute({
  getParentRoute: () => root,
  path: "/reset",
  component: page("accounts/reset_page", "ResetPage"),
});

/** What needs a login, inside the application's frame. */
const inside = createRoute({
  getParentRoute: () => root,
  id: "inside",
  beforeLoad: async ({ context, location }) => {
    try {
      await context.client.ensureQueryData(meOptions);
    } catch (error) {
      if (error instanceof ProblemError && error.status === 401) {
        throw redirect({ to: "/login", search: { next: location.href } });
      }
      throw error;
    }
  },
  component: Shell,
  // The frame is there before the server has answered.
  pendingComponent: WaitingShell,
  pendingMs: 0,
  pendingMinMs: 0,
  errorComponent: FailedShell,
});

const overview = createRoute({
  getParentRoute: () => inside,
  path: "/",
  component: page("overview/page", "OverviewPage"),
});

const clusters = createRoute({
  getParentRoute: () => inside,
  path: "/clusters",
  validateSearch: only(readClustersSearch),
  component: page("clusters/list_page", "ClustersPage"),
});

const newCluster = createRoute({
  getParentRoute: () => inside,
  path: "/clusters/new",
  validateSearch: only(readNewClusterSearch),
  component: page("clusters/new_page", "NewClusterPage"),
});

const cluster = createRoute({
  getParentRoute: () => inside,
  path: "/clusters/$clusterId",
  beforeLoad: ({ params }) => identified(params.clusterId),
  notFoundComponent: missing("cluster"),
  validateSearch: only(readClusterSearch),
  component: page("clusters/page", "ClusterPage"),
});

const experiments = createRoute({
  getParentRoute: () => inside,
  path: "/experiments",
  validateSearch: only(readExperimentsSearch),
  component: page("experiments/list_page", "ExperimentsPage"),
});

const newExperiment = createRoute({
  getParentRoute: () => inside,
  path: "/experiments/new",
  validateSearch: only(readNewExperimentSearch),
  component: page("experiments/new_page", "NewExperimentPage"),
});

const experiment = createRoute({
  getParentRoute: () => inside,
  path: "/experiments/$experimentId",
  beforeLoad: ({ params }) => identified(params.experimentId),
  notFoundComponent: missing("experiment"),
  validateSearch: only(readExperimentSearch),
  component: page("experiments/page", "ExperimentPage"),
});

const runs = createRoute({
  getParentRoute: () => inside,
  path: "/runs",
  validateSearch: only(readRunsSearch),
  component: page("runs/list_page", "RunsPage"),
});

const run = createRoute({
  getParentRoute: () => inside,
  path: "/runs/$runId",
  beforeLoad: ({ params }) => identified(params.runId),
  notFoundComponent: missing("run"),
  validateSearch: only(readRunSearch),
  // While the page's code is loaded; what failed is asked for again by the page, which says so.
  loader: ({ context: { client }, params: { runId } }) => {
    void client.prefetchQuery(runOptions(runId));
    void client.prefetchQuery(reportOptions(runId, "main"));
  },
  shouldReload: false,
  component: page("runs/page", "RunPage"),
});

const imports = createRoute({
  getParentRoute: () => inside,
  path: "/imports",
  component: page("imports/page", "ImportsPage"),
});

const newComparison = createRoute({
  getParentRoute: () => inside,
  path: "/compare",
  validateSearch: only(readCompareSearch),
  component: page("compare/new_page", "NewComparisonPage"),
});

const comparisons = createRoute({
  getParentRoute: () => inside,
  path: "/comparisons",
  validateSearch: only(readComparisonsSearch),
  component: page("compare/list_page", "ComparisonsPage"),
});

const comparison = createRoute({
  getParentRoute: () => inside,
  path: "/compare/$comparisonId",
  beforeLoad: ({ params }) => identified(params.comparisonId),
  notFoundComponent: missing("comparison"),
  validateSearch: only(readComparisonSearch),
  component: page("compare/page", "ComparisonPage"),
});

const references = createRoute({
  getParentRoute: () => inside,
  path: "/references",
  component: page("references/list_page", "ReferencesPage"),
});

const reference = createRoute({
  getParentRoute: () => inside,
  path: "/references/$referenceId",
  notFoundComponent: missing("reference"),
  component: page("references/page", "ReferencePage"),
});

const reproduced = createRoute({
  getParentRoute: () => inside,
  path: "/references/reproduced",
  validateSearch: only(readReproducedSearch),
  component: page("references/reproduced_page", "ReproducedPage"),
});

const snapshots = createRoute({
  getParentRoute: () => inside,
  path: "/snapshots",
  validateSearch: only(readSnapshotsSearch),
  component: page("snapshots/list_page", "SnapshotsPage"),
});

const settings = createRoute({
  getParentRoute: () => inside,
  path: "/settings",
  component: page("settings/page", "SettingsPage"),
});

const ci = createRoute({
  getParentRoute: () => inside,
  path: "/settings/ci",
  component: page("settings/ci/page", "CiPage"),
});

const members = createRoute({
  getParentRoute: () => inside,
  path: "/members",
  component: page("members/page", "MembersPage"),
});

const audit = createRoute({
  getParentRoute: () => inside,
  path: "/audit",
  validateSearch: only(readAuditSearch),
  component: page("audit/page", "AuditPage"),
});

const profile = createRoute({
  getParentRoute: () => inside,
  path: "/profile",
  component: page("profile/page", "ProfilePage"),
});

const unknown = createRoute({
  getParentRoute: () => inside,
  path: "$",
  component: UnknownPage,
});

const tree = root.addChildren([
  login,
  signOn,
  join,
  reset,
  inside.addChildren([
    overview,
    clusters,
    newCluster,
    cluster,
    experiments,
    newExperiment,
    experiment,
    runs,
    run,
    imports,
    newComparison,
    comparisons,
    comparison,
    references,
    reference,
    reproduced,
    snapshots,
    settings,
    ci,
    members,
    audit,
    profile,
    unknown,
  ]),
]);

export function makeRouter(client: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { client },
    defaultPreload: "intent",
    // A page that fails leaves the frame around it standing.
    defaultErrorComponent: FailedContent,
    // A page of another cluster or run is another page: what was typed for one is never sent to another.
    defaultRemountDeps: ({ params }) => params,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
