import { renderHook } from "@testing-library/react";
import { expect, it } from "vitest";
import { usePointText } from "./point_text";

it("says each axis once", () => {
  const { result } = renderHook(() => usePointText());
  expect(result.current({ arm: "a", encapsulation: "vxlan", streams: 1 })).toBe(
    "Arm a · Encapsulation VXLAN · Streams 1",
  );
});
