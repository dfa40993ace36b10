import { describe, expect, it } from "vitest";
import { DARK, LIGHT, lookOf, placed, resolveColors } from "./palette";

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

describe("palette", () => {
  it.each([LIGHT, DARK])("stands out from its ground %#", (palette) => {
    for (const color of [...palette.series, palette.axis]) {
      expect(contrast(color, palette.ground), color).toBeGreaterThanOrEqual(3);
    }
    expect(contrast(palette.text, palette.ground)).toBeGreaterThanOrEqual(4.5);
  });

  it("gives no two of 60 looks the same colour, dash and marker", () => {
    const looks = Array.from({ length: 60 }, (_, index) =>
      JSON.stringify(lookOf({ hue: index % 10, shade: Math.floor(index / 10) })),
    );
    expect(new Set(looks).size).toBe(60);
  });

  it("resolves every variable", () => {
    const drawn = Array.from({ length: 10 }, (_, index) => lookOf(placed(index)).color).join(" ");
    expect(resolveColors(`${drawn} var(--chart-text)`, LIGHT)).not.toContain("var(");
  });
});
