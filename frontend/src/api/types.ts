import type { components } from "./schema";

/** The API's shapes by name: `Schemas["RunDetail"]`. None of them is written by hand. */
export type Schemas = components["schemas"];

export type AxisValue = string | number;
export type Point = Record<string, AxisValue>;
export type Unit = Schemas["Unit"];
export type RunReport = Schemas["RunReport"];
export type Comparison = Schemas["Comparison"];
export type Contender = Schemas["Contender"];

/** A row's value with its interval; without one there are too few trials. */
export interface Figure {
  value: number;
  low?: number | null;
  high?: number | null;
  confidence?: number | null;
}
