import { expect, it } from "vitest";
import { NOTHING_GIVEN, withReported } from "./environment";

it("takes what outputs say where nothing was written, and of what it asks for alone", () => {
  const written = { ...NOTHING_GIVEN, kernel: "6.1" };
  const told = { kernel: "4.15.0", pod_mtu: "8950", colour: "blue" };
  expect(withReported(written, told)).toEqual({ ...NOTHING_GIVEN, kernel: "6.1", pod_mtu: "8950" });
});
