import { describe, expect, it } from "vitest";
import { fileNameOf } from "./download";
import { drawingsIn, legendIn } from "./drawn";
import { composeSvg } from "./svg";

const line = '<svg width="600" height="300"><path stroke="var(--chart-0)" d="M0 0L9 9"/></svg>';

function page(markup: string): HTMLElement {
  const element = document.createElement("div");
  element.innerHTML = markup;
  return element;
}

describe("composeSvg", () => {
  const plot = page(`<div>${line}</div><div>${line}</div>`);
  const legend = page(
    '<span data-legend-entry><svg width="28" height="12"><path stroke="var(--chart-1)"/></svg>nft &amp; ipvs</span>',
  );
  const composed = composeSvg("QPS <first>", legendIn(legend), drawingsIn(plot));

  it("names below what was compared, where, when and how often, and the link", () => {
    const notes = [
      "vxlan against host-gw · lab · 2026-11-22 · n = 12",
      `https://x/s/${"a".repeat(200)}`,
    ];
    const { markup, height } = composeSvg("Change", [], drawingsIn(plot), notes);
    const texts = new DOMParser()
      .parseFromString(markup, "image/svg+xml")
      .querySelectorAll("text[font-size='11']");
    const said = [...texts].map((one) => one.textContent ?? "");
    expect(said[0]).toBe(notes[0]);
    // A link is broken where the picture ends, and whole.
    expect(said.length).toBeGreaterThan(2);
    expect(said.slice(1).join("")).toBe(notes[1]);
    expect(height).toBeGreaterThan(composeSvg("Change", [], drawingsIn(plot)).height);
  });

  it("is well-formed and has title, legend and every drawing", () => {
    const read = new DOMParser().parseFromString(composed.markup, "image/svg+xml");
    expect(read.querySelector("parsererror")).toBeNull();
    expect(read.querySelector("title")?.textContent).toBe("QPS <first>");
    expect([...read.querySelectorAll("text")].map((one) => one.textContent)).toEqual([
      "QPS <first>",
      "nft & ipvs",
    ]);
    expect(read.querySelectorAll("path")).toHaveLength(3);
    expect(composed.height).toBeGreaterThan(2 * 300);
  });

  it("needs nothing else: colours written out, on white, with a font", () => {
    expect(composed.markup).not.toContain("var(");
    expect(composed.markup).toContain('fill="#ffffff"');
    expect(composed.markup).toContain("font-family=");
    expect(composed.markup).not.toMatch(/(href|src)=/);
  });
});

describe("drawingsIn", () => {
  it("takes what stands inside another drawing once, and no tooltip", () => {
    const nested = page('<svg width="1" height="1"><svg/><g data-passing=""/></svg>');
    const [only, ...others] = drawingsIn(nested);
    expect(others).toEqual([]);
    expect(only?.markup).not.toContain("data-passing");
  });
});

describe("fileNameOf", () => {
  it("keeps letters of every language", () => {
    expect(fileNameOf("Pod → Pod: QPS (first)")).toBe("pod-pod-qps-first");
    expect(fileNameOf("吞吐量 损失")).toBe("吞吐量-损失");
    expect(fileNameOf("→")).toBe("chart");
  });
});
