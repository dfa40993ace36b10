import { LONGEST_TEXT } from "~/queries/imports";
import { withText } from "./texts";

/** A file with its path below the folder that it came in. */
export interface NamedFile {
  path: string;
  file: File;
}

/** Why a file was left out. */
export interface LeftOut {
  path: string;
  why: "large" | "binary" | "empty" | "many";
}

/** Files that are read of a folder at most. */
export const MOST_FILES = 200;

/** What was dropped, folders with all that is in them, in the order of their names. */
export async function droppedFiles(transfer: DataTransfer): Promise<NamedFile[]> {
  // The list is emptied once the event is over: everything is taken from it before the first wait.
  const items = [...transfer.items].filter((item) => item.kind === "file");
  const taken = items.map((item) => ({
    entry: item.webkitGetAsEntry?.() ?? null,
    file: item.getAsFile(),
  }));
  const found: NamedFile[] = [];
  for (const { entry, file } of taken) {
    if (entry) await walk(entry, found);
    else if (file) found.push({ path: file.name, file });
  }
  return inOrder(found);
}

/** Files that were chosen; of a folder they know their path. */
export function chosenFiles(files: Iterable<File>): NamedFile[] {
  return inOrder([...files].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
}

async function walk(entry: FileSystemEntry, found: NamedFile[]): Promise<void> {
  if (found.length > MOST_FILES || entry.name.startsWith(".")) return;
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) {
    const file = await new Promise<File>((give, fail) =>
      (entry as FileSystemFileEntry).file(give, fail),
    );
    found.push({ path, file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const next = () => new Promise<FileSystemEntry[]>((give, fail) => reader.readEntries(give, fail));
  // A browser gives a hundred at a time.
  for (let batch = await next(); batch.length > 0; batch = await next()) {
    for (const one of batch) await walk(one, found);
  }
}

function inOrder(files: NamedFile[]): NamedFile[] {
  const names = new Intl.Collator("en", { numeric: true });
  return files
    .filter(({ path }) => !path.split("/").some((part) => part.startsWith(".")))
    .sort((one, other) => names.compare(one.path, other.path));
}

/** The paste with the files below it, each under its name, and the files that were left out. */
export async function withFiles(
  text: string,
  files: readonly NamedFile[],
  first: string,
): Promise<{ text: string; leftOut: LeftOut[] }> {
  let whole = text;
  const leftOut: LeftOut[] = [];
  const names = shortNames(files.map(({ path }) => path));
  for (const [index, { path, file }] of files.entries()) {
    if (index >= MOST_FILES) {
      leftOut.push({ path, why: "many" });
      continue;
    }
    if (file.size > 4 * LONGEST_TEXT) {
      leftOut.push({ path, why: "large" });
      continue;
    }
    const read = await textOf(file);
    if (read === null || read.trim() === "") {
      leftOut.push({ path, why: read === null ? "binary" : "empty" });
      continue;
    }
    const alone = files.length === 1 && whole.trim() === "";
    const next = alone ? read : withText(whole, names[index] ?? path, read, first);
    if (next.length > LONGEST_TEXT) leftOut.push({ path, why: "large" });
    else whole = next;
  }
  return { text: whole, leftOut };
}

/** The paths without the folder that all of them are in, and without an ending that all have. */
export function shortNames(paths: readonly string[]): string[] {
  let parts = paths.map((path) => path.split("/"));
  while (parts.every((one) => one.length > 1 && one[0] === parts[0]?.[0])) {
    parts = parts.map((one) => one.slice(1));
  }
  const names = parts.map((one) => one.join("/"));
  const bare = names.map((name) => name.replace(/\.(txt|log|json|out|csv)$/i, ""));
  return new Set(bare).size === bare.length ? bare : names;
}

/** A file's text, whichever encoding its mark says; null for what is none. */
async function textOf(file: File): Promise<string | null> {
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await file.arrayBuffer());
  } catch {
    return null;
  }
  const wide =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? "utf-16le"
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? "utf-16be"
        : null;
  const text = new TextDecoder(wide ?? "utf-8").decode(bytes).replace(/\r\n?/g, "\n");
  return text.includes("\0") ? null : text;
}
