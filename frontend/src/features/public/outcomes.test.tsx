import { MantineProvider } from "@mantine/core";
import { render } from "@testing-library/react";
import { beforeAll, expect, it } from "vitest";
import type { Schemas } from "~/api/types";
import { speakOfShared } from "~/i18n";
import { Outcomes } from "./outcomes";

beforeAll(speakOfShared);

const shown = (content: object) =>
  render(
    <MantineProvider env="test">
      <Outcomes content={content as Schemas["SnapshotContent"]} />
    </MantineProvider>,
  ).container.textContent;

const run = (outcome: string, failed: number, text?: string) => ({
  run: {
    run: { outcome, reason: text === undefined ? null : { key: "", text } },
    cases: Array.from({ length: 32 }, (_, place) => ({
      status: place < failed ? "failed" : "succeeded",
    })),
  },
});

it("tells of a shared run how many cases failed, and why it failed", () => {
  const partial = shown(run("partial", 4));
  expect(partial).toMatch(/Partial4 of 32 cases failed and do not count\.$/);
  expect(shown(run("failed", 32, "the image is missing"))).toContain(
    "32 of 32 cases failed and do not count.Reason: the image is missing",
  );
  expect(shown(run("succeeded", 0))).not.toContain("failed");
});

it("tells of a shared comparison which of its runs did not succeed, each once", () => {
  const side = (run_id: string, name: string, outcome: string) => ({ run_id, name, outcome });
  const text = shown({
    comparison: {
      baseline: side("one", "Nightly", "partial"),
      contenders: [
        { side: side("one", "Nightly", "partial") },
        { side: side("two", "Weekly", "succeeded") },
      ],
    },
  });
  expect(text?.match(/Nightly/g)).toHaveLength(1);
  expect(text).not.toContain("Weekly");
});
