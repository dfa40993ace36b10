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

/** "9.41 Gbit/s", "1.23 ms", "-4.2 %", "12,000". */
export function formatQuantity(value: number, unit: Unit, scale = scaleOf(value, unit)): string {
  const text = formatNumber(value / scale.factor, unit === "count");
  return scale.symbol === "" ? text : `${text}${SPACE}${scale.symbol}`;
}

/** A number with three significant digits; whole ones in full. */
export function formatNumber(value: number, whole = false): string {
  if (!Number.isFinite(value)) return String(value);
  if ((whole && Number.isInteger(value)) || Math.abs(value) >= 1000) {
    return new Intl.NumberFormat("en", { maximumFractionDigits: 0 }).format(value);
  }
  return new Intl.NumberFormat("en", { maximumSignificantDigits: 3 }).format(value);
}

/** A share with its sign, for changes and losses: "+3.1 %". */
export function formatChange(ratio: number): string {
  const text = new Intl.NumberFormat("en", {
    maximumSignificantDigits: 3,
    signDisplay: "exceptZero",
  }).format(ratio * 100);
  return `${text}${SPACE}%`;
}

/** "1 h 05 min", "4 min 10 s", "12 s": how long something takes. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const rest = whole % 60;
  if (hours > 0) return `${hours}${SPACE}h ${String(minutes).padStart(2, "0")}${SPACE}min`;
  if (minutes > 0) return `${minutes}${SPACE}min ${String(rest).padStart(2, "0")}${SPACE}s`;
  return whole === 0 && seconds > 0 ? `<${SPACE}1${SPACE}s` : `${whole}${SPACE}s`;
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
