/** About as wide as a system font sets it; a Chinese character fills its square. */
export function textWidth(text: string, size: number): number {
  let width = 0;
  for (const character of text) width += character > "\u2e7f" ? size : size * 0.58;
  return width;
}
