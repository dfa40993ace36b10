import { describe, expect, it } from "vitest";
import { axisNumbers, axisValues, numberOrText, settled, shown } from "./typed";

describe("what is typed", () => {
  it.each([
    ["", undefined],
    ["5", 5],
    ["-3", -3],
    ["1.", "1."],
    ["1.5", 1.5],
    ["0.50", "0.50"],
    ["12 trials", "12 trials"],
    ["Infinity", "Infinity"],
  ])("%j becomes %j and loses nothing", (typed, value) => {
    expect(numberOrText(typed)).toBe(value);
    expect(shown(numberOrText(typed))).toBe(typed);
  });

  it("settles into a number when the field is left", () => {
    expect(settled("0.50")).toBe(0.5);
    expect(settled("1e3")).toBe(1000);
    expect(settled("12 trials")).toBe("12 trials");
    expect(settled("")).toBe("");
    expect(settled(undefined)).toBeUndefined();
  });
});

describe("axis values", () => {
  it("are whole numbers where they can be, and each once", () => {
    expect(axisNumbers("10, 500 many,500，2")).toEqual([10, 500, "many", 2]);
  });

  it("are read from a list or a single value, and from nothing else", () => {
    expect(axisValues(["a", 1])).toEqual(["a", 1]);
    expect(axisValues(10)).toEqual([10]);
    expect(axisValues(undefined)).toEqual([]);
    expect(axisValues([[1]])).toBeNull();
    expect(axisValues({ a: 1 })).toBeNull();
  });
});
