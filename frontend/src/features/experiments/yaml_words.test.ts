import { describe, expect, it } from "vitest";
import type { Kind } from "~/queries/kinds";
import { aboutAt, offersAt, type Vocabulary } from "./yaml_words";

const throughput = {
  name: "throughput",
  description: "how much goes through",
  axes: [
    {
      name: "path",
      description: "from where to where",
      scope: "case",
      choices: ["node-node", "pod-pod"],
    },
    { name: "streams", description: "at a time", scope: "case", choices: null },
    { name: "cluster", description: "where", scope: "cluster", choices: null },
  ],
  parameters: {
    properties: {
      rate: { type: "integer", description: "bits in a second" },
      direction: { enum: ["up", "down"], description: "which way" },
      reverse: { type: "boolean", description: "the other way round" },
    },
  },
} as unknown as Kind;

const vocabulary: Vocabulary = {
  kinds: [
    throughput,
    { ...throughput, name: "transport", axes: [], parameters: {} } as unknown as Kind,
  ],
  clusterNames: ["lab", "prod"],
  profiles: ["quick", "reference"],
  about: (path) => `about ${path.join(".")}`,
};

/** The offers at the mark `|`. */
function offered(marked: string): string[] {
  const at = marked.indexOf("|");
  const text = marked.slice(0, at) + marked.slice(at + 1);
  return offersAt(text, at, vocabulary)?.offers.map((one) => one.text) ?? [];
}

function about(marked: string): string | undefined {
  const at = marked.indexOf("|");
  return aboutAt(marked.slice(0, at) + marked.slice(at + 1), at, vocabulary)?.about;
}

describe("completion", () => {
  it.each<[string, string[]]>([
    ["name: x\n|", ["kind", "description", "axes", "parameters", "repetition"]],
    ["ki|\nname: x\n", ["kind", "description", "axes", "parameters", "repetition"]],
    ["kind: |", ["throughput", "transport"]],
    ["kind: throughput\naxes:\n  |", ["path", "streams", "cluster"]],
    ["kind: throughput\naxes:\n  path: [pod-pod]\n  s|\n", ["streams", "cluster"]],
    ["kind: throughput\naxes:\n  path: [|]", ["node-node", "pod-pod"]],
    ["kind: throughput\naxes:\n  path: [pod-pod, n|]", ["node-node"]],
    ["kind: throughput\naxes:\n  path:\n    - pod-pod\n    - |", ["node-node"]],
    ["kind: throughput\naxes:\n  path:\n  - |\n  - node-node", ["pod-pod"]],
    ["kind: throughput\naxes:\n  cluster: [|]", ["lab", "prod"]],
    ["kind: throughput\naxes:\n  streams: [|]", []],
    ["kind: throughput\nparameters:\n  |", ["rate", "direction", "reverse"]],
    ["kind: throughput\nparameters:\n  direction: |", ["up", "down"]],
    ["kind: throughput\nparameters:\n  reverse: |", ["true", "false"]],
    ["repetition:\n  profile: |", ["quick", "reference"]],
    ["kind: transport\naxes:\n  |", []],
    ["axes:\n  |", []],
    ["name: |", []],
    ["kind: throughput\naxes:\n  nonsense:\n    |", []],
  ])("%j", (marked, wanted) => {
    expect(offered(marked)).toEqual(wanted);
  });

  it("offers what is there from its first character on", () => {
    expect(offersAt("kind: thr", 9, vocabulary)?.from).toBe(6);
    expect(offersAt("ki", 2, vocabulary)?.offers[0]).toMatchObject({ apply: "name: " });
  });
});

describe("hover", () => {
  it.each([
    ["kind: thr|oughput", "about kind.throughput"],
    ["ki|nd: throughput", "about kind"],
    ["kind: throughput\naxes:\n  pa|th: [pod-pod]", "about axes.path"],
    ["kind: throughput\naxes:\n  path: [pod|-pod]", undefined],
    ["repetition:\n  rou|nds: 6", "about repetition.rounds"],
  ])("%j", (marked, wanted) => {
    expect(about(marked)).toBe(wanted);
  });
});
