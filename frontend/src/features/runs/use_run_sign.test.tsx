import { renderHook } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { signOf, useRunSign, useRunTitle } from "./use_run_sign";

const progress = { pending: 3, running: 1, succeeded: 5, failed: 0, skipped: 1 };
const run = (state: "running" | "queued" | "finished", outcome: "failed" | null = null) => ({
  name: "What IPVS costs",
  state,
  outcome,
  progress,
});

afterEach(() => {
  document.head.innerHTML = "";
});

it("says in the tab how far a run is, and how it ended", () => {
  const title = (one: Parameters<typeof useRunTitle>[0]) =>
    renderHook(() => useRunTitle(one)).result.current;
  expect(title(run("running"))).toBe("60 % · What IPVS costs");
  expect(title(run("queued"))).toBe("Queued · What IPVS costs");
  expect(title(run("finished", "failed"))).toBe("Failed · What IPVS costs");
  expect(title(undefined)).toBeUndefined();
});

it("shows the state in the tab's icon, and the product's own once the page is left", () => {
  document.head.innerHTML = '<link rel="icon" href="/favicon.svg">';
  const icon = document.querySelector("link") as HTMLLinkElement;
  const before = icon.href;
  const { rerender, unmount } = renderHook(({ one }) => useRunSign(one), {
    initialProps: { one: run("running") as Parameters<typeof useRunSign>[0] },
  });
  expect(icon.href).toBe(signOf({ state: "running", outcome: null }));
  rerender({ one: run("finished", "failed") });
  expect(icon.href).toBe(signOf({ state: "finished", outcome: "failed" }));
  expect(signOf({ state: "finished", outcome: "failed" })).not.toBe(
    signOf({ state: "running", outcome: null }),
  );
  unmount();
  expect(icon.href).toBe(before);
});
