import { MantineProvider } from "@mantine/core";
import { act, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { setLanguage } from "~/i18n";
import { Headline } from "./headline";

const sentence = (code: string, text: string) => ({ code, parameters: {}, text });
const HEADLINE = {
  sentences: [
    sentence("costs", "VXLAN costs 26 % [20 to 34 %] of pod→pod throughput"),
    sentence("unseen", "no difference that 6 rounds could see"),
  ],
  recommendation: [
    { ...sentence("prefer", "Prefer host-gw to VXLAN"), cases: [{ path: "pod-pod" }] },
  ],
  caveats: [sentence("shared_host", "Nodes of this cluster are one machine")],
};
const EVERY = [...HEADLINE.sentences, ...HEADLINE.recommendation, ...HEADLINE.caveats];

const plain = (text: string | null) => (text ?? "").replaceAll("\u00a0", " ");
const shown = () =>
  render(
    <MantineProvider env="test">
      <Headline headline={HEADLINE} />
    </MantineProvider>,
  );

describe("a headline", () => {
  afterEach(() => act(() => setLanguage("en")));

  it("is what the document says, what has to be known of it too", () => {
    shown();
    const text = plain(screen.getByRole("region", { name: "In short" }).textContent);
    for (const one of EVERY) expect(text).toContain(one.text);
    expect(text).toContain("Recommendation");
  });

  it("has its headings in the reader's language", async () => {
    await act(() => setLanguage("zh"));
    shown();
    const text = plain(screen.getByRole("region", { name: "概要" }).textContent);
    for (const one of EVERY) expect(text).toContain(one.text);
    expect(text).toContain("建议");
  });

  it("has how the other cases stand beside the sentence whose others they are", () => {
    const [first, second] = HEADLINE.sentences;
    const others = (text: string) => sentence("others", text);
    const said = [first, others("In the other cases (2): 2 worse"), second, others("In 3: 3 same")];
    render(
      <MantineProvider env="test">
        <Headline headline={{ ...HEADLINE, sentences: said.filter((one) => one !== undefined) }} />
      </MantineProvider>,
    );
    const items = screen.getAllByRole("listitem").map(({ textContent }) => textContent);
    expect(items.slice(0, 2)).toEqual([
      "In the other cases (2): 2 worse",
      "no difference that 6 rounds could see. In 3: 3 same",
    ]);
  });

  it("leads to how verdicts are reached where something was decided", () => {
    const draw = (code: string) =>
      render(
        <MantineProvider env="test">
          <Headline headline={{ sentences: [sentence(code, "What was found")] }} />
        </MantineProvider>,
      );
    const { unmount } = draw("costs");
    expect(screen.getByRole("link", { name: "How verdicts are reached" })).toBeTruthy();
    unmount();
    draw("nothing");
    expect(screen.getByText("What was found")).toBeTruthy();
    expect(screen.queryByRole("link")).toBeNull();
  });

  it("is not there where a document has none", () => {
    const { container } = render(
      <MantineProvider env="test">
        <Headline headline={null} />
      </MantineProvider>,
    );
    expect(container.querySelector("section")).toBeNull();
  });
});
