import { expect, it } from "vitest";
import fingerprints from "./fixtures/fingerprints_testbed.json";
import { readNodeFacts } from "./node_facts";

it("a fingerprint adds to each node what was seen from inside", () => {
  const facts = readNodeFacts(fingerprints[0] ?? {});
  expect([...facts.keys()]).toEqual(["node-1", "node-2"]);
  expect(facts.get("node-1")?.memoryBytes).toBeGreaterThan(2 ** 30);
  expect(facts.get("node-1")?.mtus).toContainEqual(["eth0", 1500]);
});
