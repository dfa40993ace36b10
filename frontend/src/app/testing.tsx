import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider, type QueryKey } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { type Me, meOptions, type Role } from "~/queries/accounts";

/** Pages for tests, and what each role is offered on them. */
export interface Shown {
  page: ReactNode;
  /** The page's path as `router.tsx` has it. */
  route?: string;
  /** Where the path has parameters, or the page reads a search. */
  address?: string;
  /** The API's answers, each after the options of its query. Other queries stay pending. */
  answers?: readonly (readonly [{ queryKey: QueryKey }, data: unknown])[];
  /** A text of what the page loads when it is drawn. */
  loaded?: string;
  /** Prepares the browser for a role. */
  before?: () => void;
  /** The menu to open first, by the text of its button. */
  menu?: string;
  /** Selects the controls to list, if not all. */
  controls?: string;
  /** Texts to list as well, where they are shown. */
  texts?: readonly (string | RegExp)[];
}

export type Offers = Record<Role, Set<string>>;

const ALL_CONTROLS = "a[href], button, input, select, textarea";

const ME: Me = {
  user_id: "ada",
  email: "ada@example.org",
  organization_id: "ours",
  organization: "Ours",
  role: "viewer",
  of_provider: false,
  expires_at: null,
  csrf_token: "t",
};

/** What only some roles are offered, by accessible name; administrators as operators by default. */
export const offers = (
  viewer: readonly string[],
  operator: readonly string[],
  admin = operator,
): Offers => ({ viewer: new Set(viewer), operator: new Set(operator), admin: new Set(admin) });

/** Renders the page once for each role, and leaves out what all three are offered. */
export async function offeredByRole(shown: Shown): Promise<Offers> {
  const viewer = await offeredTo("viewer", shown);
  const operator = await offeredTo("operator", shown);
  const admin = await offeredTo("admin", shown);
  const common = viewer.filter((name) => operator.includes(name) && admin.includes(name));
  const withoutCommon = (names: readonly string[]) =>
    names.filter((name) => !common.includes(name));
  return offers(withoutCommon(viewer), withoutCommon(operator), withoutCommon(admin));
}

async function offeredTo(role: Role, shown: Shown): Promise<string[]> {
  const { menu, controls = ALL_CONTROLS, texts = [] } = shown;
  await show(role, shown);
  if (menu !== undefined) {
    fireEvent.click(screen.getByText(menu));
    await screen.findByRole("menu");
  }
  // Dialogs and menus are outside the page's own element.
  const names = [...document.body.querySelectorAll<HTMLElement>(controls)].map(nameOf);
  const read = texts.filter((text) => screen.queryAllByText(text).length > 0).map(String);
  cleanup();
  return [...names.filter((name) => name !== ""), ...read];
}

async function show(role: Role, shown: Shown) {
  const { page, route = "/", address = route, answers, loaded, before } = shown;
  before?.();
  const client = new QueryClient({
    defaultOptions: {
      queries: { enabled: false, staleTime: Number.POSITIVE_INFINITY, retry: false },
    },
  });
  client.setQueryData(meOptions.queryKey, { ...ME, role });
  for (const [{ queryKey }, data] of answers ?? []) client.setQueryData(queryKey, data);
  const root = createRootRoute();
  const inside = createRoute({ getParentRoute: () => root, id: "inside" });
  const pageRoute = createRoute({
    getParentRoute: () => inside,
    path: route,
    validateSearch: (search: Record<string, unknown>) => search,
    component: () => <div data-testid="shown">{page}</div>,
  });
  const router = createRouter({
    routeTree: root.addChildren([inside.addChildren([pageRoute])]),
    history: createMemoryHistory({ initialEntries: [address] }),
  });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        <RouterProvider router={router as never} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  await screen.findByTestId("shown");
  if (loaded !== undefined) await screen.findByText(loaded);
}

/** The accessible name as these pages give one: an `aria-label`, a label, or the text inside. */
function nameOf(control: HTMLElement): string {
  const label = (control as HTMLInputElement).labels?.[0] ?? control;
  const text = control.getAttribute("aria-label") ?? label.textContent ?? "";
  // The star of required fields is decoration.
  const name = text.replace(/ \*$/, "");
  return name !== "" && control.matches(":disabled") ? `${name} (disabled)` : name;
}
