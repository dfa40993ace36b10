import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { textMessage } from "~/i18n/text_message";
import type { Replacement } from "~/queries/clusters";
import { ReplacementAlert } from "./replacement_alert";

const WAITS: Replacement = {
  state: "pending",
  reason: null,
  server: "https://203.0.113.8:443",
  credential_expires_at: null,
  at: "2026-11-22T00:00:00Z",
};

function shown(replacement: Partial<Replacement>): string | null {
  render(
    <MantineProvider>
      <ReplacementAlert replacement={{ ...WAITS, ...replacement }} />
    </MantineProvider>,
  );
  return screen.getByRole("status").textContent;
}

describe("ReplacementAlert", () => {
  it("says that a kubeconfig waits, where it leads, and why it still does", () => {
    const text = shown({ reason: textMessage("the API server could not be reached") });
    expect(text).toContain("is waiting for verification");
    expect(text).toContain("https://203.0.113.8:443");
    expect(text).toContain("the API server could not be reached");
  });

  it("says that another cluster answered", () => {
    const text = shown({
      state: "refused",
      server: null,
      reason: textMessage("kube-system is b7"),
    });
    expect(text).toContain("it reaches another cluster");
    expect(text).toContain("kube-system is b7");
  });

  it("says that it is in use", () => {
    expect(shown({ state: "accepted", server: null })).toContain("Podmeter uses it");
  });
});
