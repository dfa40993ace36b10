import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Unit } from "~/api/types";
import { setLanguage } from "~/i18n";
import {
  decimals,
  formatDuration,
  formatMinutes,
  formatQuantity,
  writeChange,
  writeFigure,
  writeInterval,
} from "./format";

const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, " ");

describe("formatQuantity", () => {
  it.each([
    [9_412_345_678, "bit/s", "9.41 Gbit/s"],
    [0, "bit/s", "0 bit/s"],
    [999, "bit/s", "999 bit/s"],
    [0.00123, "s", "1.23 ms"],
    [0.0000042, "s", "4.2 µs"],
    [12.5, "s", "12.5 s"],
    [0, "s", "0 s"],
    [12_345, "1/s", "12.3 k/s"],
    [2_147_483_648, "bytes", "2 GiB"],
    [-0.0421, "ratio", "-4.21 %"],
    [20_000, "count", "20,000"],
    [1.5, "count", "1.5"],
    [4.51e-10, "s/byte", "451 ms/GB"],
    [2.05e-9, "s/byte", "2.05 s/GB"],
    [1.25e-8, "1/byte", "12.5 /GB"],
  ] as const)("%s %s reads %s", (value, unit, text) => {
    expect(plain(formatQuantity(value, unit))).toBe(text);
  });

  it("knows every unit of the API", () => {
    const { components } = JSON.parse(readFileSync("../docs/openapi.json", "utf-8"));
    const units: Unit[] = components.schemas.Unit.enum;
    expect(units.length).toBeGreaterThan(6);
    for (const unit of units) expect(formatQuantity(3, unit)).toMatch(/^\d/);
  });

  it("keeps the scale it is given, so that an axis has one unit", () => {
    expect(plain(formatQuantity(500_000_000, "bit/s", { factor: 1e9, symbol: "Gbit/s" }))).toBe(
      "0.5 Gbit/s",
    );
  });
});

/** The same ones that the API's own texts are tested by. */
interface Example {
  value: number;
  low: number | null;
  high: number | null;
  places: number;
}

describe("the digits of a figure", () => {
  const { decimals: examples }: { decimals: Example[] } = JSON.parse(
    readFileSync("../core/tests/statistics/digits.json", "utf-8"),
  );
  it.each(examples)("are those that its interval supports: $value [$low, $high]", (one) =>
    expect(decimals(one)).toBe(one.places));

  it("are alike for both ends, in one scale", () => {
    const figure = writeFigure({ value: 2.65e9, low: 2.6e9, high: 2.71e9 }, "bit/s");
    expect(plain(figure.value)).toBe("2.65 Gbit/s");
    expect(plain(writeInterval(figure) ?? "")).toBe("[2.60 to 2.71 Gbit/s]");
    const rough = writeFigure({ value: 842.5, low: 520, high: 1240 }, "count");
    expect([rough.value, rough.low, rough.high]).toEqual(["840", "520", "1,240"]);
  });

  it.each([
    [{ value: 0.000705, low: -0.012, high: 0.013 }, "+0.1 %", "[-1.2 to +1.3 %]"],
    [{ value: -0.26, low: -0.34, high: -0.2 }, "-26 %", "[-34 to -20 %]"],
    [{ value: 0.031 }, "+3.1 %", null],
    [{ value: -0.5 }, "-50 %", null],
    [{ value: 0 }, "0 %", null],
    [{ value: -0.61, low: -0.9999999, high: 6_597_344 }, "-61 %", "[-100 to > +1,000 %]"],
    [{ value: 12, low: 9, high: 16 }, "+1,200 %", "[+900 to +1,600 %]"],
  ])("of a change: %o reads %s", (change, value, interval) => {
    const written = writeChange(change);
    expect(plain(written.value)).toBe(value);
    const between = writeInterval(written);
    expect(between === null ? null : plain(between)).toBe(interval);
  });
});

describe("formatDuration", () => {
  it.each([
    [0, "0 s"],
    [0.2, "< 1 s"],
    [59.6, "1 min"],
    [250, "4 min 10 s"],
    [3900, "1 h 05 min"],
  ])("%s s reads %s", (seconds, text) => expect(plain(formatDuration(seconds))).toBe(text));

  describe("in Chinese", () => {
    beforeAll(() => setLanguage("zh"));
    afterAll(() => setLanguage("en"));

    it("an interval has the words of the language", () => {
      const figure = writeFigure({ value: 2.65e9, low: 2.6e9, high: 2.71e9 }, "bit/s");
      expect(plain(writeInterval(figure) ?? "")).toBe("[2.60 至 2.71 Gbit/s]");
    });

    it.each([
      [0, "0 秒"],
      [0.2, "< 1 秒"],
      [59.6, "1 分钟"],
      [250, "4 分 10 秒"],
      [3900, "1 小时 05 分"],
    ])("%s s reads %s", (seconds, text) => expect(plain(formatDuration(seconds))).toBe(text));

    it("has minutes alone, too", () => expect(plain(formatMinutes(4))).toBe("4 分钟"));
  });
});
