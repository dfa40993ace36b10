import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { EvidenceTabs } from "./evidence_tabs";

const TABS = [
  { value: "results", label: "Results" },
  { value: "log", label: "Log" },
] as const;

type Tab = (typeof TABS)[number]["value"];

/** `given` is the tab of the address, where it names one. */
function Shown({ given }: { given?: Tab }) {
  const [chosen, setTab] = useState<Tab>("results");
  const tab = given ?? chosen;
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

it("has the answer before its bar", () => {
  render(<Shown />);
  const bar = screen.getByRole("tablist", { name: "Parts" });
  const answer = screen.getByText("The answer");
  expect(answer.compareDocumentPosition(bar)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
});

describe("a tab that is opened", () => {
  let panels: (string | null)[];

  beforeEach(() => {
    panels = [];
    vi.spyOn(window.HTMLElement.prototype, "scrollIntoView").mockImplementation(() => {
      panels.push(screen.getByRole("tabpanel").textContent);
    });
    return () => vi.restoreAllMocks();
  });

  /** All that is drawn is below the window. */
  function below() {
    const place = { top: window.innerHeight + 10 } as DOMRect;
    vi.spyOn(window.HTMLElement.prototype, "getBoundingClientRect").mockReturnValue(place);
  }

  it("scrolls to its panel below the window, once that is drawn", async () => {
    render(<Shown />);
    below();
    await userEvent.click(screen.getByRole("tab", { name: "Log" }));
    expect(panels).toEqual(["What log says"]);
  });

  it("does not scroll to a panel in sight", async () => {
    render(<Shown />);
    await userEvent.click(screen.getByRole("tab", { name: "Log" }));
    expect(screen.getByRole("tabpanel").textContent).toBe("What log says");
    expect(panels).toEqual([]);
  });

  it("does not scroll where the address opens it", () => {
    below();
    const { rerender } = render(<Shown />);
    rerender(<Shown given="log" />);
    expect(screen.getByRole("tabpanel").textContent).toBe("What log says");
    expect(panels).toEqual([]);
  });
});
