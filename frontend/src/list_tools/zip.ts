export interface File {
  name: string;
  text: string;
}

/** Of each byte what it adds to a CRC-32. */
const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function crc32(bytes: Uint8Array): number {
  let found = 0xffffffff;
  for (const byte of bytes) found = (CRC[(found ^ byte) & 0xff] ?? 0) ^ (found >>> 8);
  return (found ^ 0xffffffff) >>> 0;
}

/** Fields one after the other, [bytes, value] each, the lowest byte first. */
function fields(...values: [bytes: 2 | 4, value: number][]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(values.reduce((sum, [size]) => sum + size, 0)));
  let at = 0;
  for (const [size, value] of values) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return new Uint8Array(view.buffer);
}

/** Version 2.0, names in UTF-8, stored as they are, on 1980-01-01. */
const HOW = [
  [2, 20],
  [2, 0x800],
  [2, 0],
  [2, 0],
  [2, 0x21],
] as [2 | 4, number][];

/** A ZIP archive of texts, not compressed (APPNOTE 6.3.10, 4.3). Names that are taken get a number. */
export function zip(files: readonly File[]): Blob {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  const names = new Set<string>();
  let at = 0;
  for (const file of files) {
    const name = new TextEncoder().encode(free(file.name, names));
    const content = new TextEncoder().encode(file.text);
    const sizes: [2 | 4, number][] = [
      [4, crc32(content)],
      [4, content.length],
      [4, content.length],
      [2, name.length],
      [2, 0],
    ];
    directory.push(
      fields([4, 0x02014b50], [2, 20], ...HOW, ...sizes, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]),
      name,
    );
    const local = [fields([4, 0x04034b50], ...HOW, ...sizes), name, content];
    parts.push(...local);
    at += size(local);
  }
  const end = fields(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, files.length],
    [2, files.length],
    [4, size(directory)],
    [4, at],
    [2, 0],
  );
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

function size(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function free(name: string, taken: Set<string>): string {
  const [, stem = name, ending = ""] = /^(.*?)(\.[^.]*)?$/.exec(name) ?? [];
  let found = name;
  for (let number = 2; taken.has(found); number++) found = `${stem}-${number}${ending}`;
  taken.add(found);
  return found;
}
