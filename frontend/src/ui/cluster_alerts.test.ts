import { describe, expect, it } from "vitest";
import type { Schemas } from "~/api/types";
import { concernsOf } from "./cluster_alerts";

const NOW = Date.parse("2026-11-22T00:00:00Z");
const WELL = {
  credential_expires_at: null,
  preflight_state: "succeeded",
  needs_restore: false,
  restored_elsewhere: false,
  replacement: null,
  renew_credential: false,
  credential_renewed_at: null,
  renewal_error: null,
} as unknown as Schemas["ClusterView"];

const found = (cluster: object) => concernsOf({ ...WELL, ...cluster }, NOW);

describe("concernsOf", () => {
  it("finds nothing where all is well", () => {
    expect(found({})).toEqual([]);
    expect(found({ replacement: { state: "accepted" } })).toEqual([]);
  });

  it("tells a restore of its own from another registration's", () => {
    expect(found({ needs_restore: true })).toEqual(["needs_restore"]);
    expect(found({ restored_elsewhere: true })).toEqual(["restored_elsewhere"]);
  });

  it("says what became of a kubeconfig that had to wait", () => {
    const waits = { needs_restore: true, replacement: { state: "pending" } };
    expect(found(waits)).toEqual(["needs_restore", "replacement_pending"]);
    expect(found({ replacement: { state: "refused" } })).toEqual(["replacement_refused"]);
  });

  it("counts how long the credentials last", () => {
    expect(found({ credential_expires_at: "2026-11-21T23:59:00Z" })).toEqual(["expired"]);
    expect(found({ credential_expires_at: "2026-11-25T00:00:00Z" })).toEqual(["expires_soon"]);
    expect(found({ credential_expires_at: "2027-01-01T00:00:00Z" })).toEqual([]);
  });

  it("alerts on a token that was not renewed, not on one that renews itself", () => {
    const soon = { credential_expires_at: "2026-11-22T00:05:00Z", renew_credential: true };
    expect(found(soon)).toEqual(["expires_soon"]);
    const renewed = { ...soon, credential_renewed_at: "2026-11-21T23:55:00Z" };
    expect(found(renewed)).toEqual([]);
    const failed = { ...renewed, renewal_error: { code: "renewal_forbidden" } };
    expect(found(failed)).toEqual(["not_renewed", "expires_soon"]);
  });
});
