import { readFileSync } from "node:fs";
import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { Select } from "./select";

it("shows an arrow of its own instead of the browser's", async () => {
  const choose = vi.fn();
  const data = [
    { value: "a", label: "First" },
    { group: "More", items: [{ value: "b", label: "Second" }] },
  ];
  const { container } = render(
    <MantineProvider>
      <Select label="Metric" value="a" data={data} onChange={choose} />
    </MantineProvider>,
  );
  await userEvent.selectOptions(screen.getByLabelText("Metric"), "Second");
  expect(choose).toHaveBeenCalledWith("b");
  expect(container.querySelectorAll("svg[aria-hidden]")).toHaveLength(1);
  expect(readFileSync("src/ui/select.module.css", "utf-8")).toContain("appearance: none");
});
