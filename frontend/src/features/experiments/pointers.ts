import { isCollection, isMap, isNode, isSeq } from "yaml";
import { keyOf, type Path, type SpecDocument, type TextFault } from "./document";

/** JSON pointers (RFC 6901), by which the API says where a specification is wrong. */
export function pointerOf(path: Path): string {
  return path
    .map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

export function pathOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Whether `pointer` is `above` or something inside it. */
export function isWithin(pointer: string, above: string): boolean {
  return pointer === above || pointer.startsWith(`${above}/`);
}

/**
 * Where in the text a pointer points. What is not there (a key that is missing, the parameter of
 * an absent section) is shown at the nearest thing around it, at last at the first line.
 */
export function placeOf(document: SpecDocument, pointer: string): Omit<TextFault, "message"> {
  const firstLine = document.text.search(/\n|$/);
  let [from, to] = [0, firstLine];
  let node: unknown = document.node.contents;
  for (const part of pathOf(pointer)) {
    if (isMap(node)) {
      const pair = node.items.find((item) => String(keyOf(item)) === part);
      if (pair === undefined || !isNode(pair.key)) break;
      [from, to] = extent(pair.key) ?? [from, to];
      const block = isCollection(pair.value) && !pair.value.flow;
      if (!block && isNode(pair.value)) to = extent(pair.value)?.[1] ?? to;
      node = pair.value;
    } else if (isSeq(node)) {
      const item = node.items[Number(part)];
      if (!isNode(item)) break;
      [from, to] = extent(item) ?? [from, to];
      node = item;
    } else break;
  }
  return { from, to, line: document.lines.linePos(from).line };
}

function extent(node: { range?: [number, number, number] | null }): [number, number] | undefined {
  return node.range ? [node.range[0], node.range[1]] : undefined;
}
