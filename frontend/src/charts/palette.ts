/**
 * Colours after Okabe and Ito, distinguishable with colour blindness, made darker or
 * lighter until each has a contrast of at least 3 to 1 with its theme's ground. Colour is never
 * alone: beside it stand a marker, a dash or a tint, and in high contrast a pattern.
 */
export interface Palette {
  series: readonly string[];
  text: string;
  axis: string;
  grid: string;
  ground: string;
}

export const LIGHT: Palette = {
  series: [
    "#0072b2",
    "#c75000",
    "#00805d",
    "#b5478d",
    "#946c00",
    "#2b86c5",
    "#5f6b7a",
    "#7a4b1e",
    "#5a54c4",
    "#66790a",
  ],
  text: "#343a40",
  axis: "#868e96",
  grid: "#e9ecef",
  ground: "#ffffff",
};

export const DARK: Palette = {
  series: [
    "#4da3e0",
    "#ff8a47",
    "#2fc79b",
    "#e59cc6",
    "#e8b23c",
    "#8fd3ff",
    "#b4bec9",
    "#d9a574",
    "#a5a0ff",
    "#b5c84a",
  ],
  text: "#d5d7da",
  axis: "#8d939b",
  grid: "#3b3b3b",
  ground: "#1f2226",
};

const DASHES = ["", "7 4", "2 3", "11 4 2 4", "5 2", "9 3 2 3 2 3", "1 4", "14 5"] as const;

const MARKERS = [
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

const PATTERNS = [
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

/** What is drawn has: the place of its value in the palette, and what tells it from its like. */
export interface Hued {
  hue: number;
  /** 0 unless several of one hue stand in one chart. */
  shade: number;
}

export interface SeriesStyle {
  /** A variable of CSS; `variables` gives it a value. */
  color: string;
  dash: string;
  marker: Marker;
  /** In high contrast. */
  pattern: Pattern;
  /** How opaque a filled bar is. */
  tint: number;
}

const HUES = LIGHT.series.length;
const TINTS = [0.85, 0.5, 0.3, 0.7, 0.4, 0.2] as const;

/** The look of a value by its hue, and by its shade where several share the hue. */
export function lookOf({ hue, shade }: Hued): SeriesStyle {
  const turn = shade + Math.floor(hue / HUES);
  return {
    color: `var(--chart-${hue % HUES})`,
    dash: DASHES[turn % DASHES.length] ?? "",
    marker: MARKERS[(hue + turn) % MARKERS.length] ?? "circle",
    pattern: PATTERNS[(hue + turn) % PATTERNS.length] ?? "solid",
    tint: TINTS[turn % TINTS.length] ?? 1,
  };
}

/** How something looks that belongs to no axis, by its place. */
export const placed = (place: number): Hued => ({ hue: place, shade: 0 });

/** How a line without markers looks: its dash tells it apart besides its colour. */
export const lineLook = (place: number): Hued => ({ hue: place, shade: place });

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
