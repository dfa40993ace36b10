// Fails where a page loads more JavaScript, as it is sent (brotli), than page_sizes.json allows.
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

/** The scripts of some chunks and of all that they import statically. */
function scriptsOf(manifest, chunks, found = new Set()) {
  for (const { file, imports = [] } of chunks) {
    if (found.has(file)) continue;
    found.add(file);
    const imported = imports.map((name) => manifest[name]);
    scriptsOf(manifest, imported, found);
  }
  return found;
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
for (const { name, page, build, parts, most_kb: most } of readJson(join(HERE, "page_sizes.json"))) {
  const manifest = readJson(join(DIST, `.vite/${build}.json`));
  const chunks = [entryOf(page, manifest), ...parts.map((part) => partOf(part, manifest))];
  const scripts = [...scriptsOf(manifest, chunks)];
  const size = scripts.reduce((sum, file) => sum + sent(file), 0) / 1024;
  const fits = size <= most;
  passed &&= fits;
  process.stdout.write(`${fits ? "" : "TOO LARGE: "}${name}: ${size.toFixed(1)} of ${most} KB\n`);
}
process.exit(passed ? 0 : 1);
