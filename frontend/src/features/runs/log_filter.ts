import type { LogLine, Run } from "~/queries/runs";
import type { RunSearch } from "./search";

/** The lines that the filters let through; text is looked for without regard to case. */
export function linesFor(
  lines: readonly LogLine[],
  { level, attempt, q = "" }: Pick<RunSearch, "level" | "attempt" | "q">,
): LogLine[] {
  const wanted = q.toLowerCase();
  return lines.filter(
    (line) =>
      (level === undefined || line.level === level) &&
      (attempt === undefined || line.attempt === attempt) &&
      line.message.text.toLowerCase().includes(wanted),
  );
}

/** Why no line is shown. A finished run writes no more lines. */
export function whyNoLines(lines: readonly LogLine[], { state }: Pick<Run, "state">) {
  if (lines.length > 0) return "no_lines_match";
  return state === "finished" ? "no_log" : "no_lines";
}
