import { type APIRequestContext, test as base, expect, type Page } from "@playwright/test";

interface Fixtures {
  /** Logged in as the administrator. */
  inside: Page;
  /** Errors of the browser's console that a test brings about on purpose. */
  expectedErrors: { patterns: RegExp[] };
  /** Fails a test whose page wrote an error to the console. */
  quietConsole: undefined;
  /** The REST API, logged in. */
  rest: Rest;
}

interface WorkerFixtures {
  /** Where each worker has a stack of its own, the environment tells of that one. */
  ownStack: undefined;
}

export interface Rest {
  /** The sentences of documents are in the language. */
  get: <T = Record<string, unknown>>(path: string, language?: "en" | "zh") => Promise<T>;
  post: <T = Record<string, unknown>>(path: string, body?: unknown) => Promise<T>;
}

function given(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set; e2e/stack.ts sets it`);
  return value;
}

/** The details of each worker's stack, by the names in the environment. */
export function stacks(): Record<string, string>[] {
  return JSON.parse(given("E2E_STACKS"));
}

export const stack = {
  get url() {
    return given("E2E_URL");
  },
  get email() {
    return given("E2E_EMAIL");
  },
  get password() {
    return given("E2E_PASSWORD");
  },
  /** Of `podmeter-admin up`, which starts again what ends. */
  get pid() {
    return given("E2E_PID");
  },
  /** The folder of its state. */
  get state() {
    return given("E2E_STATE");
  },
};

export const test = base.extend<Fixtures, WorkerFixtures>({
  ownStack: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures
    async ({}, use, { parallelIndex }) => {
      if (process.env.E2E_STACKS) Object.assign(process.env, stacks()[parallelIndex]);
      await use(undefined);
    },
    { scope: "worker", auto: true },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures
  baseURL: async ({}, use) => use(stack.url),
  expectedErrors: [{ patterns: [] }, { option: true }],
  quietConsole: [
    async ({ context, expectedErrors }, use) => {
      const errors: string[] = [];
      context.on("console", (message) => {
        if (message.type() === "error") errors.push(`${message.text()} ${message.location().url}`);
      });
      context.on("weberror", (error) => errors.push(String(error.error())));
      await use(undefined);
      const { patterns } = expectedErrors;
      const unexpected = errors.filter((text) => !patterns.some((one) => one.test(text)));
      // A page asks again every few seconds. What a route of the test meets at its end is no fault.
      for (const one of [context, ...context.pages()]) {
        await one.unrouteAll({ behavior: "ignoreErrors" });
      }
      // In the message, of which even the end of a long log has the first line.
      expect(unexpected, `in the console: ${unexpected.join(" | ")}`).toEqual([]);
    },
    { auto: true },
  ],
  inside: async ({ page }, use) => {
    await logIn(page);
    await use(page);
  },
  rest: async ({ playwright }, use) => {
    const context = await playwright.request.newContext({ baseURL: stack.url });
    await use(await loggedIn(context));
    await context.dispose();
  },
});

export { expect };

/** Through the API, so that the tests that need a login do not all type it in. */
export async function logIn(page: Page, url = stack.url): Promise<void> {
  const answer = await page.request.post(`${url}/api/v1/auth/login`, {
    data: { email: stack.email, password: stack.password },
  });
  expect(answer.ok()).toBe(true);
}

/** The page once what it is about has arrived, and not that it failed. */
export async function ready(page: Page): Promise<void> {
  await page.locator("[data-ready=true]").first().waitFor();
  await expect(page.locator("[data-failed]")).toHaveCount(0);
}

/** Deletes what is at a path of the API, by anyone who the page is logged in as. */
export async function remove(page: Page, path: string): Promise<void> {
  const { csrf_token } = await (await page.request.get("/api/v1/me")).json();
  const headers = { "X-CSRF-Token": csrf_token, "If-Match": "*" };
  const gone = await page.request.delete(`/api/v1${path}`, { headers });
  expect(gone.ok(), await gone.text()).toBe(true);
}

/** The REST API that a context asks. */
export async function loggedIn(context: APIRequestContext): Promise<Rest> {
  const answer = await context.post("/api/v1/auth/login", {
    data: { email: stack.email, password: stack.password },
  });
  const { csrf_token } = await answer.json();
  const headers = { "X-CSRF-Token": csrf_token };
  return {
    get: async (path, language = "en") => {
      const found = await context.get(`/api/v1${path}`, {
        headers: { "Accept-Language": language },
      });
      expect(found.ok(), `${path}: ${found.status()}`).toBe(true);
      return await found.json();
    },
    post: async (path, data) => {
      const made = await context.post(`/api/v1${path}`, { data, headers });
      expect(made.ok(), `${path}: ${made.status()} ${await made.text()}`).toBe(true);
      return await made.json();
    },
  };
}
