import { describe, expect, it } from "vitest";
import { readDocument } from "./document";
import { isWithin, pathOf, placeOf, pointerOf } from "./pointers";

const TEXT = `name: two modes
kind: service_scale
axes:
  services:
    - 10
    - many
  probe: [climb, qps, sleep]
repetition: {trials: 0}
"a/b~c": 1
`;
const document = readDocument(TEXT);
const marked = (pointer: string) => {
  const { from, to, line } = placeOf(document, pointer);
  return [line, TEXT.slice(from, to)];
};

describe("placeOf", () => {
  it.each([
    ["/kind", 2, "kind: service_scale"],
    ["/axes/services/1", 6, "many"],
    ["/axes/probe/2", 7, "sleep"],
    ["/axes/services", 4, "services"],
    ["/repetition/trials", 8, "trials: 0"],
    ["/a~1b~0c", 9, '"a/b~c": 1'],
  ])("%s is on line %i", (pointer, line, text) => {
    expect(marked(pointer)).toEqual([line, text]);
  });

  it.each([
    ["", 1, "name: two modes"],
    ["/parameters/port", 1, "name: two modes"],
    ["/axes/path", 3, "axes"],
    ["/axes/services/7", 4, "services"],
    ["/name/deeper", 1, "name: two modes"],
  ])("%s, which is not there, is shown at what is around it", (pointer, line, text) => {
    expect(marked(pointer)).toEqual([line, text]);
  });

  it("points into an empty text without failing", () => {
    expect(placeOf(readDocument(""), "/name")).toEqual({ from: 0, to: 0, line: 1 });
  });
});

describe("pointers", () => {
  it("are written and read as RFC 6901 says", () => {
    expect(pointerOf(["axes", "a/b~c", 0])).toBe("/axes/a~1b~0c/0");
    expect(pathOf("/axes/a~1b~0c/0")).toEqual(["axes", "a/b~c", "0"]);
    expect(pathOf("")).toEqual([]);
  });

  it("lie within what begins with them, part by part", () => {
    expect(isWithin("/axes/services/1", "/axes/services")).toBe(true);
    expect(isWithin("/axes/services_total", "/axes/services")).toBe(false);
  });
});
