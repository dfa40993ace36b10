import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";

/**
 * An experiment's specification as the text its author wrote. The text is the one source of truth:
 * the form reads it through `readDocument` and changes it through `setAt`, which keeps comments and
 * order. YAML 1.1, as the API reads it, so that `on` or `010` mean the same on both sides.
 */
export type Path = readonly (string | number)[];

/** Something wrong with the text, from one character to another; lines count from 1. */
export interface TextFault {
  message: string;
  /** Of what the text cannot be read for: what it is by the reader's own name for it. */
  code?: string;
  from: number;
  to: number;
  line: number;
}

export interface SpecDocument {
  text: string;
  node: Document;
  lines: LineCounter;
  /** The content of the text; empty if it cannot be read. */
  value: Record<string, unknown>;
  /** Why the text is not YAML, or not a mapping. */
  faults: TextFault[];
}

export const NOT_A_MAPPING = "NOT_A_MAPPING";

export function readDocument(text: string): SpecDocument {
  const lines = new LineCounter();
  const node = parse(text, lines);
  const faults = node.errors.map(({ code, message, pos: [from, to] }) => ({
    message,
    code,
    from,
    to,
    line: lines.linePos(from).line,
  }));
  const whole = (message: string, code: string) => {
    return { message, code, from: 0, to: text.length, line: 1 };
  };
  if (faults.length > 0) return { text, node, lines, value: {}, faults };
  if (!isEmpty(node.contents) && !isMap(node.contents)) {
    return { text, node, lines, value: {}, faults: [whole("", NOT_A_MAPPING)] };
  }
  try {
    return { text, node, lines, value: node.toJS() ?? {}, faults };
  } catch (error) {
    return { text, node, lines, value: {}, faults: [whole(String(error), "UNREADABLE")] };
  }
}

/** The value at `path`; undefined if there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  let here = value;
  for (const part of path) {
    if (typeof here !== "object" || here === null) return undefined;
    here = (here as Record<string | number, unknown>)[part];
  }
  return here;
}

/** The text with `value` at `path`; undefined takes the key away. The text must be readable. */
export function setAt(text: string, path: Path, value: unknown): string {
  const node = parse(text, new LineCounter());
  if (value === undefined) removeIn(node, path);
  else {
    openUp(node, path);
    const standing = node.getIn(path, true);
    if (Array.isArray(value) && isSeq(standing)) setItems(node, standing, value);
    else if (isScalar(standing) && !Array.isArray(value)) {
      standing.value = value;
      standing.format = undefined;
    } else node.setIn(path, node.createNode(value, { flow: Array.isArray(value) }));
  }
  return print(node);
}

export function print(node: Document): string {
  return node.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function parse(text: string, lines: LineCounter): Document {
  return parseDocument(text, { version: "1.1", prettyErrors: false, lineCounter: lines });
}

function isEmpty(node: unknown): boolean {
  return node === null || node === undefined || (isScalar(node) && node.value === null);
}

/** Makes a mapping of what is missing on the way, and of `axes:` with nothing after it. */
function openUp(node: Document, path: Path): void {
  if (isEmpty(node.contents)) node.contents = node.createNode({});
  for (let depth = 1; depth < path.length; depth += 1) {
    const above = path.slice(0, depth);
    const standing = node.getIn(above, true);
    if (!isEmpty(standing)) continue;
    const opened = node.createNode({});
    if (isScalar(standing)) {
      const said = [standing.commentBefore, standing.comment].filter(Boolean);
      opened.commentBefore = said.join("\n") || undefined;
    }
    node.setIn(above, opened);
  }
}

/** The new values, each with the node (and so the comment) that it had. */
function setItems(node: Document, list: YAMLSeq, values: readonly unknown[]): void {
  const old = [...list.items];
  list.items = values.map((value) => {
    const index = old.findIndex((item) => isScalar(item) && item.value === value);
    return index < 0 ? node.createNode(value) : old.splice(index, 1)[0];
  });
  if (list.items.length === 0) list.flow = true;
}

/** Takes a key away, and the mapping that it leaves empty; a comment above it stays. */
function removeIn(node: Document, path: Path): void {
  const above = path.slice(0, -1);
  const parent = above.length === 0 ? node.contents : node.getIn(above, true);
  if (!isMap(parent)) return;
  const index = parent.items.findIndex((pair) => keyOf(pair) === path.at(-1));
  const [removed] = index < 0 ? [] : parent.items.splice(index, 1);
  if (removed === undefined) return;
  keepComment(parent, index, isScalar(removed.key) ? removed.key.commentBefore : null);
  if (parent.items.length === 0 && above.length > 0 && !parent.comment) removeIn(node, above);
}

function keepComment(parent: YAMLMap, index: number, comment: string | null | undefined): void {
  if (!comment) return;
  const next = parent.items[index]?.key;
  if (isScalar(next)) {
    next.commentBefore = [comment, next.commentBefore].filter(Boolean).join("\n");
  } else {
    parent.comment = [parent.comment, comment].filter(Boolean).join("\n");
  }
}

export function keyOf(pair: Pair): unknown {
  return isScalar(pair.key) ? pair.key.value : pair.key;
}
