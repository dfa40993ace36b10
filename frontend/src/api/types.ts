import type { components } from "./schema";

/** The API's shapes by name: `Schemas["RunDetail"]`. Nothing here is written by hand. */
export type Schemas = components["schemas"];

export type AxisValue = string | number;
export type Point = Record<string, AxisValue>;
export type Figure = Schemas["Figure"];
export type Unit = Schemas["Unit"];
export type RunReport = Schemas["RunReport"];
export type CaseSummary = Schemas["CaseSummary"];
export type Comparison = Schemas["Comparison"];
export type Contender = Schemas["Contender"];
