import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { UnreachableError } from "~/api/problem";
import { ProblemAlert } from "./problem_alert";

function said(error: Error): string | null {
  render(
    <MantineProvider>
      <ProblemAlert error={error} />
    </MantineProvider>,
  );
  return screen.getByRole("alert").textContent;
}

it("blames the connection for nothing else", () => {
  expect(said(new UnreachableError("Failed to fetch"))).toContain(
    "The server could not be reached",
  );
});

it("says of a page that broke that the page did", () => {
  expect(said(new TypeError("x is undefined"))).toContain("This page failed");
});
