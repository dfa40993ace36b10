import { expect, it } from "vitest";
import fingerprints from "./fixtures/fingerprints_testbed.json";
import { readNodeFacts } from "./node_facts";

it("a fingerprint adds to each node what was seen from inside", () => {
  const facts = readNodeFacts(fingerprints[0] ?? {});
  expect([...facts.keys()]).toEqual(["node-1", "node-2"]);
  expect(facts.get("node-1")?.memoryBytes).toBeGreaterThan(2 ** 30);
  expect(facts.get("node-1")?.mtus).toContainEqual(["eth0", 1500]);
  // It was kept before shaping was looked at.
  expect(facts.get("node-1")?.shaping).toEqual([]);
});

it("what shapes a device is read by device", () => {
  const facts = readNodeFacts({ nodes: [{ name: "a", shaping: { eth0: "tbf 1000 Mbit/s" } }] });
  expect(facts.get("a")?.shaping).toEqual([["eth0", "tbf 1000 Mbit/s"]]);
});
