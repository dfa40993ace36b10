import { Box } from "@mantine/core";
import type { PastedLines } from "~/queries/imports";
import { LINE_PX } from "./paste_field";
import classes from "./paste_field.module.css";

/** The field's padding above its first line. */
const ABOVE_PX = 8;

/** Beside the lines what they are: the outputs' numbers, and signs for all else. */
export function MarkGutter({
  lines,
  scrolled,
}: {
  lines: readonly PastedLines[];
  /** How far the field is scrolled. */
  scrolled: number;
}) {
  return (
    <div className={classes.gutter} aria-hidden>
      <div style={{ transform: `translateY(${ABOVE_PX - scrolled}px)` }}>
        {lines.map(({ first_line, last_line, kind, outputs }) => (
          <Box
            key={first_line}
            className={classes.mark}
            mod={{ kind, even: (outputs[0] ?? 1) % 2 === 0 }}
            style={{
              top: (first_line - 1) * LINE_PX,
              height: (last_line - first_line + 1) * LINE_PX,
              lineHeight: `${LINE_PX}px`,
            }}
          >
            {/* It stays in sight while its lines are. */}
            <div style={{ transform: `translateY(${within(scrolled, first_line, last_line)}px)` }}>
              {kind === "output" ? outputs.join("+") : SIGNS[kind]}
            </div>
          </Box>
        ))}
      </div>
    </div>
  );
}

/** How far below the first of its lines a sign stands, so that it is seen. */
function within(scrolled: number, first: number, last: number): number {
  return Math.min(Math.max(scrolled - (first - 1) * LINE_PX, 0), (last - first) * LINE_PX);
}

const SIGNS = {
  command: "$",
  around: "·",
  other: "–",
  left_out: "–",
  refused: "!",
  unread: "",
} as const;
