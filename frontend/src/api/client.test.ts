import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { api } from "./client";

const sent = vi.fn<typeof fetch>();
const ACCEPTED = () => Response.json({ id: "run" }, { status: 202 });

beforeEach(() => {
  sent.mockReset();
  vi.stubGlobal("fetch", sent);
});
afterEach(() => vi.unstubAllGlobals());

/** Posts a run, and gives the key that it was sent with. */
async function key(experiment = "one"): Promise<string | null> {
  await api
    .POST("/api/v1/experiments/{experiment_id}/runs", {
      baseUrl: "http://localhost",
      params: { path: { experiment_id: experiment } },
      body: { force: false },
      fetch: sent,
    })
    .catch(() => undefined);
  return (sent.mock.lastCall?.[0] as Request).headers.get("Idempotency-Key");
}

it.each([
  ["was never answered", () => Promise.reject(new TypeError("network"))],
  ["a proxy answered for", () => Promise.resolve(new Response("<html>", { status: 504 }))],
])("posts what %s with its key again, until it is answered", async (_, answer) => {
  sent.mockImplementationOnce(answer);
  sent.mockImplementation(() => Promise.resolve(ACCEPTED()));
  const first = await key();
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(await key("another")).not.toBe(first);
  expect(await key()).toBe(first);
  expect(await key()).not.toBe(first);
});

it("gives a request that was refused another key", async () => {
  sent.mockImplementation(() => Promise.resolve(Response.json({}, { status: 422 })));
  expect(await key()).not.toBe(await key());
});
