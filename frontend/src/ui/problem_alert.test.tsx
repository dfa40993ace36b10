import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { ProblemError, UnreachableError } from "~/api/problem";
import { load } from "~/i18n/resources";
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
  expect(said(new TypeError("x is undefined"))).toContain("This page could not be displayed");
});

it("says in the user's language what each status of the API means", async () => {
  const { definitions } = await load("zh", ["inside"]);
  const { paths } = JSON.parse(
    readFileSync(resolve(import.meta.dirname, "../../../docs/openapi.json"), "utf8"),
  );
  const operations = Object.values<object>(paths).flatMap((path) => Object.values(path));
  const statuses = new Set(operations.flatMap(({ responses }) => Object.keys(responses ?? {})));
  const failed = [...statuses].filter((status) => Number(status) >= 400);
  expect(failed.length).toBeGreaterThan(8);
  for (const status of failed) expect(Object.keys(definitions?.problem ?? {})).toContain(status);

  const message = { code: "text", params: { text: "why" }, text: "why" };
  const problem = {
    type: "",
    title: "Conflict",
    status: 409,
    detail: "why",
    code: "conflict",
    allowed: null,
    request_id: null,
    document: null,
    error_count: null,
  };
  expect(said(new ProblemError({ ...problem, message, errors: [] }))).toContain(
    "Not possible in the current state",
  );
});
