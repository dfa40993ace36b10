import { describe, expect, it } from "vitest";
import type { RecognisedOutput } from "~/queries/imports";
import { nextName, overTitles, sectionsOf, variantsByTitle, withText } from "./texts";

const output = (number: number, first: number, told: RecognisedOutput["told"] = {}) =>
  ({ output: number, first_line: first, told }) as unknown as RecognisedOutput;

describe("withText", () => {
  it("puts each text below a title of its own, the first one as well", () => {
    const two = withText("one\n\n", "iptables", "two\n\n", "Text 1");
    expect(two).toBe("=== Text 1 ===\none\n\n=== iptables ===\ntwo\n");
    expect(withText(two, "c", "three", "Text 1")).toBe(`${two}\n=== c ===\nthree\n`);
    expect(withText("", "a", "b", "Text 1")).toBe("=== a ===\nb\n");
  });

  it("makes a title of any name", () => {
    const titled = withText("", "a=b | c\n", "x", "");
    expect(sectionsOf(titled)).toEqual([{ name: "a b c", line: 1 }]);
    const [long] = sectionsOf(withText("", `folder/${"x".repeat(100)}`, "x", ""));
    expect(long?.name).toHaveLength(60);
  });
});

describe("nextName", () => {
  const word = (number: number) => `Text ${number}`;
  it("takes none that is there", () => {
    expect(nextName("", word)).toBe("Text 1");
    expect(nextName("=== Text 3 ===\n=== b ===\n", word)).toBe("Text 4");
  });
});

describe("variantsByTitle", () => {
  const text = "=== iptables ===\nx\n=== nftables ===\ny\n";
  it("names the outputs by the title above them", () => {
    expect(variantsByTitle(text, [output(1, 2), output(2, 4)])).toEqual({
      1: { variant: "iptables" },
      2: { variant: "nftables" },
    });
  });

  it("names nothing where only one title has outputs", () => {
    expect(variantsByTitle(text, [output(1, 2), output(2, 2)])).toEqual({});
    expect(variantsByTitle("x\ny", [output(1, 1)])).toEqual({});
  });

  it("leaves what was written", () => {
    const byTitle = variantsByTitle(text, [output(1, 2), output(2, 4)]);
    expect(overTitles(byTitle, { 2: { variant: "nft", path: "pod-pod" } })).toEqual({
      1: { variant: "iptables" },
      2: { variant: "nft", path: "pod-pod" },
    });
  });
});
