import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { Terms } from "./terms";

it("says what a case, a round and the last Service are", () => {
  render(
    <MantineProvider env="test">
      <Terms axes={[{ name: "target", description: "from the API" }]} />
    </MantineProvider>,
  );
  expect(
    screen.getByText(/^A case is one combination .* A round sets up every mode once/),
  ).toBeTruthy();
  expect(
    screen.getByText(/^Target: Which Service port .* the first or the last rule/),
  ).toBeTruthy();
});
