import { describe, expect, it } from "vitest";
import { follow } from "./follow";

/** A list of numbers in pages of three, by the number seen last. */
function listOf(numbers: number[]) {
  const asked: (string | undefined)[] = [];
  const fetchPage = async (cursor: string | undefined) => {
    asked.push(cursor);
    const start = cursor === undefined ? 0 : numbers.indexOf(Number(cursor)) + 1;
    const items = numbers.slice(start, start + 3);
    const more = start + 3 < numbers.length;
    return { items, next_cursor: more ? String(items.at(-1)) : null };
  };
  return { asked, fetchPage };
}

describe("follow", () => {
  it("reads every page, then only what may have grown", async () => {
    const numbers = [1, 2, 3, 4];
    const list = listOf(numbers);
    const first = await follow(undefined, list.fetchPage);
    expect(first.items).toEqual([1, 2, 3, 4]);
    expect(list.asked).toEqual([undefined, "3"]);

    numbers.push(5, 6, 7);
    const second = await follow(first, list.fetchPage);
    expect(second.items).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(list.asked.slice(2)).toEqual(["3", "6"]);
  });

  it("begins again from an empty list", async () => {
    const numbers: number[] = [];
    const list = listOf(numbers);
    const first = await follow(undefined, list.fetchPage);
    numbers.push(1);
    expect((await follow(first, list.fetchPage)).items).toEqual([1]);
  });
});
