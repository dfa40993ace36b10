import i18next from "i18next";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Schemas } from "~/api/types";
import { setLanguage } from "~/i18n";
import { nameOf } from "./subject_name";

const side = (label: string, reference_id: string | null) => ({ label, reference_id });
const content = {
  comparison: {
    baseline: side("A ladder", "ladder"),
    contenders: [{ side: side("Nightly: mode ipvs", null) }],
  },
} as unknown as Schemas["SnapshotContent"];

beforeAll(() => i18next.changeLanguage("en"));
afterAll(() => setLanguage("en"));

it("marks what was published, in the language of who shares it", async () => {
  expect(nameOf(content, "")).toBe("A ladder (published) / Nightly: mode ipvs");
  await setLanguage("zh");
  expect(nameOf(content, "")).toBe("A ladder（已发表） / Nightly: mode ipvs");
});
