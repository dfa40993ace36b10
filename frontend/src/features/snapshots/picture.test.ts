import { describe, expect, it } from "vitest";
import { layout, type Measure, SIZE, type Words } from "./picture";

/** A font whose characters are as wide as they are high. */
const measure: Measure = (text, size) => text.length * size;
const WORDS: Words = {
  title: "Paths",
  sentences: ["VXLAN costs 20 %", "In the other cases: 1 the same"],
  caveats: ["Nodes of this cluster are one machine"],
  foot: "Podmeter · 2026-11-22",
};

const texts = (words: Words) => layout(words, measure).map(({ text }) => text);

describe("the picture of a link", () => {
  it("has the title, what was found, what has to be known, and when it was taken", () => {
    const told = texts(WORDS).join(" ");
    for (const text of [WORDS.title, ...WORDS.sentences, ...WORDS.caveats, WORDS.foot]) {
      expect(told).toContain(text);
    }
  });

  it("keeps every line inside, whatever people wrote", () => {
    const long: Words[] = [
      {
        title: "x".repeat(200),
        sentences: ["y".repeat(2000)],
        caveats: ["z".repeat(500)],
        foot: "",
      },
      { title: "一".repeat(200), sentences: ["二".repeat(400)], caveats: [], foot: "" },
      { title: "", sentences: [], caveats: [], foot: "" },
    ];
    for (const words of long) {
      for (const { text, size, y } of layout(words, measure)) {
        expect(measure(text, size)).toBeLessThanOrEqual(SIZE.width - 64);
        expect(y + size).toBeLessThanOrEqual(SIZE.height);
      }
    }
  });

  it("says less rather than small", () => {
    const many = { ...WORDS, sentences: Array.from({ length: 40 }, (_, n) => `Sentence ${n}`) };
    expect(texts(many)).not.toContain("Sentence 39");
    expect(texts(many)).toContain("Sentence 1");
  });
});
