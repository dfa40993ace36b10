import { expect, it } from "vitest";
import { daysLeft, REMIND_DAYS } from "./expiring";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const at = (days: number) => new Date(NOW + days * 86_400_000).toISOString();

it("reminds from a fortnight before, until it is over", () => {
  expect(REMIND_DAYS).toBe(14);
  expect(daysLeft(at(14.01), NOW)).toBeNull();
  expect(daysLeft(at(14), NOW)).toBe(14);
  expect(daysLeft(at(1.5), NOW)).toBe(1);
  expect(daysLeft(at(0.2), NOW)).toBe(0);
  expect(daysLeft(at(0), NOW)).toBeNull();
  expect(daysLeft(at(-3), NOW)).toBeNull();
});
