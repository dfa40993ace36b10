import { afterEach, expect, it } from "vitest";
import { setLanguage } from ".";
import { followed, parted, unbroken } from "./punctuation";

afterEach(() => setLanguage("en"));

it("parts clauses as the language does", async () => {
  expect(parted(["a", "b"])).toBe("a; b");
  await setLanguage("zh");
  expect(parted(["甲", "乙"])).toBe("甲；乙");
});

it("puts no space behind a full-width mark, which brings its own", () => {
  expect(followed("Last seen")).toBe("Last seen ");
  expect(followed("最近一次：")).toBe("最近一次：");
  expect(followed("没有。")).toBe("没有。");
  expect(followed("运行 7")).toBe("运行 7 ");
});

it("ends no line within an interval or a count of trials", () => {
  expect(unbroken("VXLAN costs 26 % [20 to 34 %]; n = 12")).toBe(
    "VXLAN costs 26\u00a0% [20\u00a0to\u00a034\u00a0%]; n\u00a0=\u00a012",
  );
});
