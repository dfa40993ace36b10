import i18next from "i18next";
import type { Unit } from "~/api/types";

/**
 * Numbers as people read them. The API's values are in base units (bit/s, s, 1/s, bytes, ratio,
 * count, s/byte, 1/byte); prefixes are for the display alone, three significant digits and a narrow space.
 */
const SPACE = "\u202f";
const UP = ["", "k", "M", "G", "T", "P"] as const;
const DOWN = ["", "m", "µ", "n"] as const;

export interface Scale {
  /** What to divide a value in the base unit by. */
  factor: number;
  /** The unit's symbol with its prefix, "" where there is none. */
  symbol: string;
}

/** The scale in which `value` (base unit) is read best; `largest` of an axis gives the axis's. */
export function scaleOf(value: number, unit: Unit): Scale {
  const size = Math.abs(value);
  switch (unit) {
    case "bit/s":
      return up(size, 1000, "bit/s");
    case "1/s":
      return up(size, 1000, "/s");
    case "bytes":
      return binary(size);
    case "s":
      return seconds(size);
    case "s/byte":
      return perGigabyte(size);
    case "1/byte":
      return { factor: 1e-9, symbol: "/GB" };
    case "ratio":
      return { factor: 0.01, symbol: "%" };
    case "count":
      return { factor: 1, symbol: "" };
  }
}

/**
 * How a difference is written: of shares in percentage points, not in percent of one of them;
 * of another unit by its size.
 */
export function differenceScale(unit: Unit): Scale | undefined {
  return unit === "ratio" ? { factor: 0.01, symbol: i18next.t("pp") } : undefined;
}

/** "9.41 Gbit/s", "1.23 ms", "-4.2 %", "12,000". */
export function formatQuantity(value: number, unit: Unit, scale = scaleOf(value, unit)): string {
  const text = formatNumber(value / scale.factor, unit === "count");
  return scale.symbol === "" ? text : `${text}${SPACE}${scale.symbol}`;
}

/** Made once: to make one takes longer than to write a hundred numbers. */
const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0, signDisplay: "negative" });
const THREE_DIGITS = new Intl.NumberFormat("en", {
  maximumSignificantDigits: 3,
  signDisplay: "negative",
});

/** A number with three significant digits; whole ones in full. */
export function formatNumber(value: number, whole = false): string {
  if (!Number.isFinite(value)) return String(value);
  if ((whole && Number.isInteger(value)) || Math.abs(value) >= 1000) {
    return WHOLE.format(value);
  }
  return THREE_DIGITS.format(value);
}

interface Known {
  value: number;
  low?: number | null;
  high?: number | null;
}

/** A figure in words: its value with the unit, the ends of its interval bare, null without one. */
export interface WrittenFigure {
  value: string;
  low: string | null;
  high: string | null;
  /** Of the ends. */
  symbol: string;
}

/** At most so many significant digits; without an interval, which says how sure it is, two. */
const MOST = 4;
/** Of a figure whose trials were all alike. */
const ALIKE = 3;
const WITHOUT_INTERVAL = 2;
/** An uncertainty that begins below it keeps two digits (Particle Data Group, "Rounding"). */
const TWO_DIGITS_BELOW = 3.55;

/**
 * The decimals that a value and the ends of its interval are written with: half the interval's
 * length is what is not known of it. A value of which only one digit would be left has one more,
 * unless it may be zero: 1.68 between 0.6 and 8 is 1.7, not 2. Negative where not even the ones are
 * known.
 */
export function decimals({ value, low, high }: Known): number {
  const largest = Math.max(...[value, low ?? 0, high ?? 0].map(Math.abs));
  if (largest === 0 || !Number.isFinite(largest)) return 0;
  const place = (digits: number) => digits - 1 - exponentOf(largest);
  if (low == null || high == null) return place(WITHOUT_INTERVAL);
  const half = Math.abs(high - low) / 2;
  if (half === 0 || !Number.isFinite(half)) return place(ALIKE);
  const exponent = exponentOf(half);
  const two = Number((half / 10 ** exponent).toPrecision(9)) < TWO_DIGITS_BELOW;
  const places = Math.min(-exponent + Number(two), place(MOST));
  if (low * high <= 0 || value === 0) return places;
  const own = WITHOUT_INTERVAL - 1 - exponentOf(Math.abs(value));
  return Math.max(places, Math.min(places + 1, own));
}

/** A tenth that is a difference is a little less or more than one. */
function exponentOf(value: number): number {
  return Math.floor(Math.log10(Number(value.toPrecision(9))));
}

/** A figure with the digits that its interval supports, all in one scale; changes have signs. */
export function writeFigure(
  { value, low, high }: Known,
  unit: Unit,
  { scale, signed = false }: { scale?: Scale; signed?: boolean } = {},
): WrittenFigure {
  const largest = Math.max(...[value, low ?? 0, high ?? 0].map(Math.abs));
  const { factor, symbol } = scale ?? scaleOf(largest, unit);
  const known = { value: value / factor, low: over(low, factor), high: over(high, factor) };
  const whole = unit === "count" && [value, low ?? 0, high ?? 0].every(Number.isInteger);
  const places = whole ? 0 : decimals(known);
  const write = (one: number) => fixed(one, places, signed);
  const text = write(known.value);
  return {
    value: symbol === "" ? text : `${text}${SPACE}${symbol}`,
    low: known.low === null ? null : write(known.low),
    high: known.high === null ? null : write(known.high),
    symbol,
  };
}

/**
 * "[9.31 to 9.52 Gbit/s]", of changes "[-4.6 to +2.5 %]"; null where there is no interval; in one
 * line. Every interval is written by this function.
 */
export function writeInterval({ low, high, symbol }: WrittenFigure): string | null {
  if (low === null || high === null) return null;
  const last = symbol === "" ? high : `${high}${SPACE}${symbol}`;
  return i18next.t("interval", { low, high: last }).replaceAll(" ", "\u00a0");
}

/** A p value as it is read: three digits, "< 0.001" below that, never in two lines. */
export function formatP(p: number): string {
  return p < 0.001 ? "<\u00a00.001" : p.toFixed(3);
}

/** A change by more than this share is tenfold and more: it is written as more than it. */
const MOST_CHANGE = 10;

/**
 * A change with its sign and what its interval supports: "-1.1 %". Where its upper end is without
 * bound, "> +1,000", it has the two digits of one without an interval.
 */
export function writeChange(change: Known): WrittenFigure {
  const { value, low, high } = change;
  if (low == null || high == null || high <= MOST_CHANGE || value > MOST_CHANGE)
    return writeFigure(change, "ratio", { signed: true });
  const places = decimals({ value: 100 * value });
  const { value: text, symbol } = writeFigure({ value }, "ratio", { signed: true });
  const most = `> ${fixed(100 * MOST_CHANGE, 0, true)}`;
  return { value: text, low: fixed(100 * low, places, true), high: most, symbol };
}

function over(value: number | null | undefined, factor: number): number | null {
  return value == null ? null : value / factor;
}

function fixed(value: number, places: number, signed: boolean): string {
  const digits = Math.min(20, Math.max(0, places));
  const step = 10 ** -places;
  const shown = places < 0 ? Math.round(value / step) * step : value;
  return withDigits(digits, signed).format(shown);
}

const FIXED = new Map<string, Intl.NumberFormat>();

function withDigits(digits: number, signed: boolean): Intl.NumberFormat {
  const key = `${digits} ${signed}`;
  const known = FIXED.get(key);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    signDisplay: signed ? "exceptZero" : "negative",
  });
  FIXED.set(key, made);
  return made;
}

/** "4 min", where seconds would pretend to be known. */
export function formatMinutes(minutes: number): string {
  return `${minutes}${SPACE}${i18next.t("time.only_minutes")}`;
}

const timeUnits = () =>
  [i18next.t("time.hours"), i18next.t("time.minutes"), i18next.t("time.seconds")] as const;

/** "1 h 05 min", "4 min 10 s", "12 s": how long something takes, in the user's language. */
export function formatDuration(seconds: number): string {
  const [h, min, s] = timeUnits();
  const whole = Math.round(seconds);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const rest = whole % 60;
  if (hours > 0) return `${hours}${SPACE}${h} ${String(minutes).padStart(2, "0")}${SPACE}${min}`;
  if (minutes > 0 && rest === 0) return formatMinutes(minutes);
  if (minutes > 0) return `${minutes}${SPACE}${min} ${String(rest).padStart(2, "0")}${SPACE}${s}`;
  return whole === 0 && seconds > 0 ? `<${SPACE}1${SPACE}${s}` : `${whole}${SPACE}${s}`;
}

/** What a byte costs is said of 10⁹ of them: "451 ms/GB". */
function perGigabyte(size: number): Scale {
  const { factor, symbol } = seconds(size * 1e9);
  return { factor: factor / 1e9, symbol: `${symbol}/GB` };
}

function up(size: number, base: number, symbol: string): Scale {
  let index = 0;
  while (size / base ** (index + 1) >= 1 && index < UP.length - 1) index += 1;
  return { factor: base ** index, symbol: `${UP[index]}${symbol}` };
}

function binary(size: number): Scale {
  let index = 0;
  while (size / 1024 ** (index + 1) >= 1 && index < UP.length - 1) index += 1;
  const prefix = ["", "Ki", "Mi", "Gi", "Ti", "Pi"][index] ?? "";
  return { factor: 1024 ** index, symbol: `${prefix}B` };
}

function seconds(size: number): Scale {
  let index = 0;
  while (size !== 0 && size < 1000 ** -index && index < DOWN.length - 1) index += 1;
  return { factor: 1000 ** -index, symbol: `${DOWN[index]}s` };
}
