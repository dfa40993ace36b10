import { type Hued, lookOf, type Pattern } from "./palette";
import classes from "./patterns.module.css";

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

const idOf = (prefix: string, { hue, shade }: Hued) => `${prefix}-fill-${hue}-${shade}`;

/** What fills bars that look so; `BarPatterns` of the same prefix defines it. */
export const fillOf = (prefix: string, look: Hued) => `url(#${idOf(prefix, look)})`;

/** Solid tints; where the system asks for more contrast, patterns that differ without colour. */
export function BarPatterns({ prefix, looks }: { prefix: string; looks: readonly Hued[] }) {
  const different = new Map(looks.map((look) => [idOf(prefix, look), look]));
  return (
    <defs>
      {[...different].map(([id, look]) => {
        const { color, pattern, tint } = lookOf(look);
        return (
          <pattern key={id} id={id} width={SIZE} height={SIZE} patternUnits="userSpaceOnUse">
            <rect width={SIZE} height={SIZE} fill={color} fillOpacity={tint} />
            <path
              className={classes.pattern}
              display="none"
              d={STROKES[pattern]}
              stroke="var(--chart-ground)"
              strokeWidth={1.8}
              fill="none"
            />
          </pattern>
        );
      })}
    </defs>
  );
}
