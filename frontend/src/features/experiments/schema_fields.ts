/** What a form needs to know of one property of a JSON Schema, as the kinds publish theirs. */
export interface SchemaField {
  name: string;
  type: "integer" | "number" | "string" | "boolean" | "choice" | "other";
  description: string;
  choices: string[];
  minimum?: number;
  maximum?: number;
  /** The default; null for "decided by the run". */
  fallback: string | number | boolean | null;
}

interface Schema {
  type?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  description?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
}

export function schemaFields(schema: Record<string, unknown>): SchemaField[] {
  const properties = (schema as Schema).properties ?? {};
  return Object.entries(properties).map(([name, property]) => field(name, property));
}

function field(name: string, property: Schema): SchemaField {
  const some = property.anyOf?.find((branch) => branch.type !== "null") ?? property;
  const minimum = some.minimum ?? some.exclusiveMinimum;
  const maximum = some.maximum ?? some.exclusiveMaximum;
  return {
    name,
    type: typeOf(some),
    description: property.description ?? "",
    choices: (some.enum ?? []).map(String),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    fallback: scalar(property.default),
  };
}

function typeOf(schema: Schema): SchemaField["type"] {
  if (schema.enum) return "choice";
  switch (schema.type) {
    case "integer":
    case "number":
    case "string":
    case "boolean":
      return schema.type;
    default:
      return "other";
  }
}

function scalar(value: unknown): SchemaField["fallback"] {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : null;
}
