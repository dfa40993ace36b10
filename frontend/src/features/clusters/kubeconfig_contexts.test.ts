import { describe, expect, it } from "vitest";
import { contextsOf } from "./kubeconfig_contexts";

const context = (name: string) => `- name: ${name}\n  context: {cluster: c, user: u}`;
const several = `apiVersion: v1
kind: Config
current-context: staging
contexts:
${context("production")}
${context("staging")}
`;

describe("the contexts of a kubeconfig", () => {
  it("are read from YAML, with the current one", () => {
    expect(contextsOf(several)).toEqual({ names: ["production", "staging"], current: "staging" });
  });

  it("are read from JSON", () => {
    const json = JSON.stringify({ contexts: [{ name: "only", context: {} }] });
    expect(contextsOf(json)).toEqual({ names: ["only"], current: null });
  });

  it("have no current one where that names none of them", () => {
    expect(
      contextsOf(several.replace("current-context: staging", "current-context: gone")),
    ).toEqual({ names: ["production", "staging"], current: null });
  });

  it.each([
    ["nothing", ""],
    ["half of a document", "contexts: [{name: a"],
    ["another document", "- a\n- b"],
    ["contexts that are none", "contexts: 3"],
    ["aliases, which make a small document huge", "a: &a [x, x]\ncontexts: [*a, *a]"],
  ])("are none in %s", (_, given) => {
    expect(contextsOf(given).names).toEqual([]);
  });
});
