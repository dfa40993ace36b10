import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { EXAMPLE } from "./example";

const PAGE = readFileSync(
  resolve(import.meta.dirname, "../../../../docs/explanation/articles.md"),
  "utf8",
);

it("shows what docs/explanation/articles.md publishes", () => {
  const written = (value: number, digits: number) => (value / 1e3).toFixed(digits);
  const row = (start: string) =>
    PAGE.split("\n").find((line) => line.startsWith(`| ${start}`)) ?? "";
  const cells = [row("Qps(last service)"), row("Qps(match last service)")];
  EXAMPLE.modes.forEach(({ figures }, place) => {
    for (const { value, low, high } of figures) {
      const digits = cells[place]?.includes(`${written(value, 2)} k/s`) ? 2 : 1;
      expect(cells[place]).toContain(
        `${written(value, digits)} k/s [${written(low, digits)} to ${written(high, digits)} k/s], n = ${EXAMPLE.rounds}`,
      );
    }
  });
  const times = (share: number) => (1 + share).toFixed(2);
  const { value, low, high } = EXAMPLE.change;
  expect(PAGE).toContain(`${times(value)} times [${times(low)} to ${times(high)}] (better)`);
  const began = EXAMPLE.at.replace("T", " ").replace(":00Z", "");
  expect(row("iptables vs nftables over Services")).toContain(`| succeeded | ${began} |`);
});
