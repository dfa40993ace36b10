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

it("marks what was not measured beside a run of the same name", () => {
  const { current: told } = renderHook(() => useComparisonText()).result;
  const mine = side("Ladder", { kube_proxy_mode: "ipvs" });
  const published = { ...mine, reference_id: "ladder" };
  expect(told({ baseline: published, contenders: [mine] })).toBe(
    "Ladder: kube-proxy mode IPVS against Ladder (published)",
  );
  const pasted = { ...mine, imported: true };
  expect(told({ baseline: pasted, contenders: [mine] })).toBe(
    "Ladder: kube-proxy mode IPVS against Ladder (imported): kube-proxy mode IPVS",
  );
  expect(told({ baseline: pasted, contenders: [pasted] })).toMatch(/^Ladder \(imported\): /);
  expect(told({ baseline: mine, contenders: [mine] })).toMatch(/^Ladder: kube-proxy mode IPVS #2 /);
});
