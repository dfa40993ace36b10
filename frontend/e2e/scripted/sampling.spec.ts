import { expect, test } from "@playwright/test";
import { sampled } from "../sampling";

/** The part that `make test` takes: right in size and order, repeatable, and another for another seed. */
const CASES = Array.from({ length: 36 }, (_, place) => place);
const NAMES = ["PODMETER_TEST_SEED", "PODMETER_TEST_ALL"] as const;

function under<Result>(values: (string | undefined)[], ask: () => Result): Result {
  const before = NAMES.map((name) => process.env[name]);
  const set = (all: (string | undefined)[]) => {
    for (const [place, name] of NAMES.entries()) {
      const value = all[place];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
  set(values);
  try {
    return ask();
  } finally {
    set(before);
  }
}

test("a sample is repeatable, in order, and differs by seed and name", { tag: "@journey" }, () => {
  const choice = (seed: number, name = "") => under([String(seed)], () => sampled(CASES, 5, name));
  const first = choice(7);
  expect(new Set(first).size).toBe(5);
  expect(first).toEqual([...first].sort((one, other) => one - other));
  expect(choice(7)).toEqual(first);
  expect(choice(8)).not.toEqual(first);
  expect(choice(7, "menus")).not.toEqual(first);
  // Every case is chosen sooner or later.
  const seen = new Set(CASES.flatMap((seed) => choice(seed * 31)));
  expect(seen.size).toBeGreaterThan(30);
});

test("all cases with PODMETER_TEST_ALL=1, and no sample without a seed", {
  tag: "@journey",
}, () => {
  expect(under([undefined, "1"], () => sampled(CASES, 5))).toEqual(CASES);
  expect(under(["7"], () => sampled([1, 2], 5))).toEqual([1, 2]);
  expect(() => under([undefined], () => sampled(CASES, 5))).toThrow(/PODMETER_TEST_SEED/);
});
