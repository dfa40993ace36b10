/**
 * Colours after Okabe and Ito, told apart by people who are colour-blind too, made darker or
 * lighter until each has a contrast of at least 3 to 1 with its theme's ground. Colour is never
 * alone: each place has a dash, a marker and a pattern of its own.
 */
export interface Palette {
  series: readonly string[];
  text: string;
  axis: string;
  grid: string;
  ground: string;
}

export const LIGHT: Palette = {
  series: ["#0072b2", "#c75000", "#00805d", "#b5478d", "#946c00", "#2b86c5", "#5f6b7a", "#7a4b1e"],
  text: "#343a40",
  axis: "#868e96",
  grid: "#e9ecef",
  ground: "#ffffff",
};

export const DARK: Palette = {
  series: ["#4da3e0", "#ff8a47", "#2fc79b", "#e59cc6", "#e8b23c", "#8fd3ff", "#b4bec9", "#d9a574"],
  text: "#d5d7da",
  axis: "#8d939b",
  grid: "#3b3b3b",
  ground: "#242424",
};

const DASHES = ["", "7 4", "2 3", "11 4 2 4", "5 2", "9 3 2 3 2 3", "1 4", "14 5"] as const;

export const MARKERS = [
  "circle",
  "square",
  "triangle",
  "diamond",
  "cross",
  "wedge",
  "star",
  "ring",
] as const;
export type Marker = (typeof MARKERS)[number];

export const PATTERNS = [
  "solid",
  "rising",
  "dots",
  "falling",
  "level",
  "upright",
  "grid",
  "hollow",
] as const;
export type Pattern = (typeof PATTERNS)[number];

export interface Look {
  /** A variable of CSS; `variables` gives it a value. */
  color: string;
  dash: string;
  marker: Marker;
  pattern: Pattern;
}

const PLACES = LIGHT.series.length;

/** The look of the series at `index`. From the ninth on, colours come again with other dashes. */
export function lookOf(index: number): Look {
  const place = index % PLACES;
  const shifted = (place + Math.floor(index / PLACES)) % PLACES;
  return {
    color: `var(--chart-${place})`,
    dash: DASHES[shifted] ?? "",
    marker: MARKERS[shifted] ?? "circle",
    pattern: PATTERNS[shifted] ?? "solid",
  };
}

export const TEXT = "var(--chart-text)";
export const AXIS = "var(--chart-axis)";
export const GRID = "var(--chart-grid)";
export const GROUND = "var(--chart-ground)";

/** The palette as variables of CSS. */
export function variables(palette: Palette): Record<string, string> {
  const { series, ...others } = palette;
  return Object.fromEntries([
    ...series.map((color, place) => [`--chart-${place}`, color] as const),
    ...Object.entries(others).map(([name, color]) => [`--chart-${name}`, color] as const),
  ]);
}

/** Markup with the palette's colours in place of the variables. */
export function resolveColors(markup: string, palette: Palette): string {
  const values = variables(palette);
  return markup.replace(/var\((--chart-\w+)\)/g, (whole, name: string) => values[name] ?? whole);
}
