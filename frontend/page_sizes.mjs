// Fails where a page loads more JavaScript, as it is sent (brotli), or in more requests of files than
// page_sizes.json allows.
// A page is its entry, what that imports, and the parts named there that it loads by itself.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const HERE = import.meta.dirname;
const DIST = join(HERE, "dist");
const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/** The chunk that is the entry of a page. */
function entryOf(page, manifest) {
  const [, file] = /<script[^>]* src="\/([^"]+\.js)"/.exec(readFileSync(join(DIST, page), "utf8"));
  return Object.values(manifest).find((chunk) => chunk.file === file);
}

/** Some chunks and all that they import statically. */
function withImported(manifest, chunks, found = new Set()) {
  for (const chunk of chunks) {
    if (found.has(chunk)) continue;
    found.add(chunk);
    const imported = (chunk.imports ?? []).map((name) => manifest[name]);
    withImported(manifest, imported, found);
  }
  return [...found];
}

/** The page itself, its icon and its typeface. */
const BESIDE = 3;

function requestsOf(chunks) {
  const styles = new Set(chunks.flatMap(({ css = [] }) => css));
  return BESIDE + chunks.length + styles.size;
}

function partOf(name, manifest) {
  if (manifest[name] === undefined) throw new Error(`the build has no ${name}`);
  return manifest[name];
}

/** In bytes; a file that is too small to be compressed is sent as it is. */
function sent(file) {
  const path = join(DIST, file);
  return statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size;
}

let passed = true;
for (const one of readJson(join(HERE, "page_sizes.json"))) {
  const manifest = readJson(join(DIST, `.vite/${one.build}.json`));
  const parts = one.parts.map((part) => partOf(part, manifest));
  const chunks = withImported(manifest, [entryOf(one.page, manifest), ...parts]);
  const size = chunks.reduce((sum, { file }) => sum + sent(file), 0) / 1024;
  const requests = requestsOf(chunks);
  const fits = size <= one.most_kb && requests <= (one.most_requests ?? Number.POSITIVE_INFINITY);
  passed &&= fits;
  const most = one.most_requests === undefined ? "" : ` of ${one.most_requests}`;
  process.stdout.write(
    `${fits ? "" : "TOO LARGE: "}${one.name}: ${size.toFixed(1)} of ${one.most_kb} KB, ` +
      `${requests}${most} requests\n`,
  );
}
process.exit(passed ? 0 : 1);
