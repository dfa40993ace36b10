import { drawingsIn, legendIn } from "./drawn";
import { toPng } from "./png";
import { composeSvg } from "./svg";

/** What is drawn at this moment, as a file of its own; loaded when one is first asked for. */
export async function pictureOf(
  type: "svg" | "png",
  title: string,
  legend: HTMLElement | null,
  plot: HTMLElement,
  notes: readonly string[],
): Promise<Blob> {
  const entries = legend === null ? [] : legendIn(legend);
  const composed = composeSvg(title, entries, drawingsIn(plot), notes);
  return type === "png" ? await toPng(composed) : new Blob([composed.markup], { type: SVG });
}

const SVG = "image/svg+xml";
