import { lookOf, type Pattern } from "./palette";

const SIZE = 7;

const STROKES: Record<Pattern, string> = {
  solid: "",
  rising: `M-1 1L1 -1M0 ${SIZE}L${SIZE} 0M${SIZE - 1} ${SIZE + 1}L${SIZE + 1} ${SIZE - 1}`,
  falling: `M-1 ${SIZE - 1}L1 ${SIZE + 1}M0 0L${SIZE} ${SIZE}M${SIZE - 1} -1L${SIZE + 1} 1`,
  dots: "M1 2h2M4.5 5.5h2",
  level: `M0 2H${SIZE}M0 5.5H${SIZE}`,
  upright: `M2 0V${SIZE}M5.5 0V${SIZE}`,
  grid: `M0 3.5H${SIZE}M3.5 0V${SIZE}`,
  hollow: "",
};

const idOf = (prefix: string, index: number) => `${prefix}-fill-${index}`;

/** What fills the bars of the series at `index`; `BarPatterns` of the same prefix defines it. */
export const fillOf = (prefix: string, index: number) => `url(#${idOf(prefix, index)})`;

/** Fills that differ without their colour too. */
export function BarPatterns({ prefix, count }: { prefix: string; count: number }) {
  return (
    <defs>
      {Array.from({ length: count }, (_, index) => {
        const { color, pattern } = lookOf(index);
        const id = idOf(prefix, index);
        return (
          <pattern key={id} id={id} width={SIZE} height={SIZE} patternUnits="userSpaceOnUse">
            <rect
              width={SIZE}
              height={SIZE}
              fill={color}
              fillOpacity={pattern === "solid" ? 0.9 : pattern === "hollow" ? 0.12 : 0.35}
            />
            <path d={STROKES[pattern]} stroke={color} strokeWidth={1.8} fill="none" />
          </pattern>
        );
      })}
    </defs>
  );
}
