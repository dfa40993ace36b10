import type { Drawing, LegendDrawing } from "./svg";

/** What only answers a pointer or the keyboard has no place in a file. */
const PASSING = ".recharts-tooltip-cursor, .recharts-active-dot, .recharts-brush, [data-passing]";

/** The pictures inside an element, as they are drawn at this moment. */
export function drawingsIn(element: HTMLElement): Drawing[] {
  return [...element.querySelectorAll("svg")]
    .filter((svg) => svg.parentElement?.closest("svg") === null)
    .map(drawing);
}

/** The legend's entries inside an element, each a picture and its label. */
export function legendIn(element: HTMLElement): LegendDrawing[] {
  return [...element.querySelectorAll<HTMLElement>("[data-legend-entry]")].flatMap((entry) => {
    const svg = entry.querySelector("svg");
    return svg === null ? [] : [{ ...drawing(svg), label: labelOf(entry) }];
  });
}

/** The entry's name, without the value that a readout has below it. */
function labelOf(entry: HTMLElement): string {
  return (entry.querySelector("[data-legend-label]") ?? entry).textContent?.trim() ?? "";
}

function drawing(svg: SVGSVGElement): Drawing {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  for (const passing of copy.querySelectorAll(PASSING)) passing.remove();
  for (const name of ["style", "class", "tabindex", "role", "aria-label"])
    copy.removeAttribute(name);
  const width = Number(svg.getAttribute("width"));
  const brush = svg.querySelector(".recharts-brush rect");
  const height = Number(svg.getAttribute("height")) - Number(brush?.getAttribute("height") ?? 0);
  return { width, height, markup: new XMLSerializer().serializeToString(copy) };
}
