import { readFileSync } from "node:fs";
import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import { EvidenceTabs } from "./evidence_tabs";

const TABS = [
  { value: "results", label: "Results" },
  { value: "log", label: "Log" },
] as const;

function Shown() {
  const [tab, setTab] = useState<"results" | "log">("results");
  return (
    <MantineProvider env="test">
      <EvidenceTabs
        label="Parts"
        tabs={TABS}
        value={tab}
        onChange={setTab}
        answer={<p>The answer</p>}
      >
        {`What ${tab} says`}
      </EvidenceTabs>
    </MantineProvider>
  );
}

it("has the answer first, and keeps the bar in sight below it", () => {
  render(<Shown />);
  const bar = screen.getByRole("tablist", { name: "Parts" });
  // A bar sticks only inside its parent: that is the answer's, too.
  expect(bar.parentElement?.firstElementChild?.textContent).toBe("The answer");
  const css = readFileSync("src/ui/evidence_tabs.module.css", "utf-8");
  expect(css).toMatch(/\.bar \{\s*position: sticky;\s*bottom: 0;/);
});

it("scrolls to what a tab opens below the window, and nowhere else", async () => {
  const user = userEvent.setup();
  const scrolled = vi.spyOn(window.HTMLElement.prototype, "scrollIntoView");
  render(<Shown />);
  await user.click(screen.getByRole("tab", { name: "Log" }));
  expect(screen.getByRole("tabpanel").textContent).toBe("What log says");
  expect(scrolled).not.toHaveBeenCalled();
  const place = { top: window.innerHeight + 10 } as DOMRect;
  const bounds = vi.spyOn(window.HTMLElement.prototype, "getBoundingClientRect");
  bounds.mockReturnValue(place);
  await user.click(screen.getByRole("tab", { name: "Results" }));
  bounds.mockRestore();
  expect(scrolled).toHaveBeenCalledWith({ block: "start" });
});
