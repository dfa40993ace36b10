import { afterEach, expect, it } from "vitest";
import { setLanguage } from "~/i18n";
import { labelled, listed } from "~/i18n/punctuation";
import { sideName } from "~/ui/comparison_text";
import { axisLabel } from "./types";

afterEach(() => setLanguage("en"));

const RATE = { label: "QPS", unit: "1/s", better: "↑" } as const;
const PUBLISHED = { name: "A ladder", reference_id: "ladder" } as Parameters<typeof sideName>[0];

it("puts words together with the marks of English", () => {
  expect(axisLabel(RATE, "k/s")).toBe("QPS (k/s), ↑");
  expect(axisLabel({ ...RATE, better: undefined }, "")).toBe("QPS");
  expect(labelled("Ladder", listed(["a", "b"]))).toBe("Ladder: a, b");
  expect(sideName(PUBLISHED)).toBe("A ladder (published)");
});

it("puts words together with the full-width marks of Chinese", async () => {
  await setLanguage("zh");
  expect(axisLabel(RATE, "k/s")).toBe("QPS（k/s），↑");
  expect(labelled("Ladder", listed(["a", "b"]))).toBe("Ladder：a、b");
  expect(sideName(PUBLISHED)).toBe("A ladder（已发表）");
});
