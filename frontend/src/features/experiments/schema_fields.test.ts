import { describe, expect, it } from "vitest";
import { schemaFields } from "./schema_fields";

describe("schemaFields", () => {
  it("reads what the kinds publish", () => {
    const fields = schemaFields({
      type: "object",
      properties: {
        client_node: {
          anyOf: [{ type: "string" }, { type: "null" }],
          default: null,
          description: "Node.",
        },
        requests: { type: "integer", minimum: 1, maximum: 1000, default: 200 },
        wait: { type: "number", exclusiveMinimum: 0, default: 1.5 },
        mode: { enum: ["a", "b"], type: "string", default: "a" },
        quick: { type: "boolean", default: false },
        labels: { type: "object" },
      },
    });
    expect(fields).toMatchObject([
      { name: "client_node", type: "string", fallback: null, description: "Node." },
      { name: "requests", type: "integer", minimum: 1, maximum: 1000, fallback: 200 },
      { name: "wait", type: "number", minimum: 0, fallback: 1.5 },
      { name: "mode", type: "choice", choices: ["a", "b"] },
      { name: "quick", type: "boolean", fallback: false },
      { name: "labels", type: "other", fallback: null },
    ]);
    expect(schemaFields({})).toEqual([]);
  });
});
