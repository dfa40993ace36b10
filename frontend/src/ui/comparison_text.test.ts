import { renderHook } from "@testing-library/react";
import i18next from "i18next";
import { beforeAll, expect, it } from "vitest";
import type { Schemas } from "~/api/types";
import { useComparisonText } from "./comparison_text";

const side = (name: string, where = {}) =>
  ({ name, where, reference_id: null }) as unknown as Schemas["ComparedRun"];

beforeAll(() => i18next.changeLanguage("en"));

it("numbers sides that are called alike, and no others", () => {
  const { current: told } = renderHook(() => useComparisonText()).result;
  const [same, other] = [side("Paths"), side("Ladder")];
  expect(told({ baseline: same, contenders: [same] })).toBe("Paths #2 against Paths #1");
  expect(told({ baseline: same, contenders: [other] })).toBe("Ladder against Paths");
});
