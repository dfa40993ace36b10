import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { ProblemError } from "~/api/problem";
import { meOptions } from "~/features/accounts/queries";
import { readClusterSearch, readNewClusterSearch } from "~/features/clusters/search";
import { readCompareSearch } from "~/features/compare/search";
import { readExperimentSearch, readNewExperimentSearch } from "~/features/experiments/search";
import { readRunSearch, readRunsSearch } from "~/features/runs/search";
import { readSnapshotsSearch } from "~/features/snapshots/search";
import { FailedPage, UnknownPage } from "./failed_page";
import { Shell } from "./shell";

/** Every address of the application; each page's search parameters are read by its feature. */
interface Context {
  client: QueryClient;
}

const root = createRootRouteWithContext<Context>()({
  notFoundComponent: UnknownPage,
  errorComponent: FailedPage,
});

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: (search): { next?: string } =>
    typeof search.next === "string" && /^\/(?!\/)/.test(search.next) ? { next: search.next } : {},
  component: lazyRouteComponent(() => import("~/features/accounts/login_page"), "LoginPage"),
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
});

const pages = [
  createRoute({
    getParentRoute: () => inside,
    path: "/",
    component: lazyRouteComponent(() => import("~/features/overview/page"), "OverviewPage"),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: "/clusters",
    component: lazyRouteComponent(() => import("~/features/clusters/list_page"), "ClustersPage"),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: "/clusters/new",
    validateSearch: readNewClusterSearch,
    component: lazyRouteComponent(() => import("~/features/clusters/new_page"), "NewClusterPage"),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: "/clusters/$clusterId",
    validateSearch: readClusterSearch,
    component: lazyRouteComponent(() => import("~/features/clusters/page"), "ClusterPage"),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: "/experiments",
    component: lazyRouteComponent(
      () => import("~/features/experiments/list_page"),
      "ExperimentsPage",
    ),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: "/experiments/new",
    validateSearch: readNewExperimentSearch,
    component: lazyRouteComponent(
      () => import("~/features/experiments/new_page"),
      "NewExperimentPage",
    ),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: "/experiments/$experimentId",
    validateSearch: readExperimentSearch,
    component: lazyRouteComponent(() => import("~/features/experiments/page"), "ExperimentPage"),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: "/runs",
    validateSearch: readRunsSearch,
    component: lazyRouteComponent(() => import("~/features/runs/list_page"), "RunsPage"),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: "/runs/$runId",
    validateSearch: readRunSearch,
    component: lazyRouteComponent(() => import("~/features/runs/page"), "RunPage"),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: "/compare",
    validateSearch: readCompareSearch,
    component: lazyRouteComponent(() => import("~/features/compare/new_page"), "NewComparisonPage"),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: "/compare/$comparisonId",
    validateSearch: readCompareSearch,
    component: lazyRouteComponent(() => import("~/features/compare/page"), "ComparisonPage"),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: "/snapshots",
    validateSearch: readSnapshotsSearch,
    component: lazyRouteComponent(() => import("~/features/snapshots/list_page"), "SnapshotsPage"),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: "/settings",
    component: lazyRouteComponent(() => import("~/features/settings/page"), "SettingsPage"),
  }),
];

const tree = root.addChildren([login, inside.addChildren(pages)]);

export function makeRouter(client: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { client },
    defaultPreload: "intent",
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
