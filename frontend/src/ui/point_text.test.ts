import { renderHook } from "@testing-library/react";
import { expect, it } from "vitest";
import { usePointText } from "./point_text";

it("writes large numbers as they are written elsewhere", () => {
  const { result } = renderHook(() => usePointText());
  expect(result.current({ services: 10_000 })).toBe("Service ports 10,000");
});

it("says each axis once", () => {
  const { result } = renderHook(() => usePointText());
  expect(result.current({ arm: "a", encapsulation: "vxlan", streams: 1 })).toBe(
    "Group a · Encapsulation VXLAN · Streams 1",
  );
});
