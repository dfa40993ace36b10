import { MantineProvider } from "@mantine/core";
import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { CaseBar } from "./case_bar";

const progress = { pending: 0, running: 6, succeeded: 0, failed: 0, skipped: 0 };

function show(trials?: { ended: number; planned: number }, changes = {}) {
  const run = { progress: { ...progress, ...changes } };
  const { container } = render(
    <MantineProvider env="test">
      <CaseBar run={run} trials={trials} />
    </MantineProvider>,
  );
  const sections = [...container.querySelectorAll<HTMLElement>(".mantine-Progress-section")];
  const widths = sections.map((one) => one.style.getPropertyValue("--progress-section-size"));
  return { text: container.textContent, widths, sections };
}

it("is as full as trials are over while every case still has rounds to come", () => {
  const { text, widths } = show({ ended: 54, planned: 216 });
  expect(text).toContain("54 of 216 trials · 0 of 6 cases");
  expect(widths).toEqual(["25%"]);
});

it("marks cases that go on as such, where trials are not known", () => {
  const { text, widths, sections } = show(undefined, { running: 3, failed: 1, succeeded: 2 });
  expect(text).toContain("3 of 6 cases · 1 failed");
  expect(widths.at(-1)).toBe("50%");
  expect(sections.map((one) => one.dataset.striped ?? "")).toEqual(["", "", "", "true"]);
});

it("counts failed and skipped cases among those that are over", () => {
  const { text } = show(undefined, { running: 2, failed: 1, skipped: 1, succeeded: 2 });
  expect(text).toContain("4 of 6 cases · 1 failed · 1 skipped");
});
