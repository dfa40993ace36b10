// Fails where the files of a page's first visit are larger, as the server sends them, or more than
// page_sizes.json allows: scripts, styles and texts (brotli), the typeface, the icon, and the page.
// Not counted: HTTP headers (about 0.6 KB a file), the API's answers, and the page of a shared link,
// which the server writes. `make bench ONLY=ui` counts those too, in a browser.
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

const ICON = "favicon.svg";

/** What the browser requests for these chunks of a page. */
function filesOf(page, chunks) {
  const styles = chunks.flatMap(({ css = [] }) => css);
  const typeface = chunks.flatMap(({ assets = [] }) => assets);
  return [...new Set([page, ICON, ...chunks.map(({ file }) => file), ...styles, ...typeface])];
}

function partOf(name, manifest) {
  if (manifest[name] === undefined) throw new Error(`the build has no ${name}`);
  return manifest[name];
}

/** The server fills it in, for each link. */
const TEMPLATE = "snapshot.html";

/** In bytes, without headers: as brotli where the build made that. */
function sent(file) {
  if (file === TEMPLATE) return 0;
  const path = join(DIST, file);
  return statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size;
}

const kilobytes = (files) => files.reduce((sum, file) => sum + sent(file), 0) / 1024;

let passed = true;
for (const one of readJson(join(HERE, "page_sizes.json"))) {
  const manifest = readJson(join(DIST, `.vite/${one.build}.json`));
  const parts = one.parts.map((part) => partOf(part, manifest));
  const chunks = withImported(manifest, [entryOf(one.page, manifest), ...parts]);
  const files = filesOf(one.page, chunks);
  const size = kilobytes(files);
  const scripts = kilobytes(files.filter((file) => file.endsWith(".js")));
  const requests = files.length;
  const fits = size <= one.most_kb && requests <= (one.most_requests ?? Number.POSITIVE_INFINITY);
  passed &&= fits;
  const most = one.most_requests === undefined ? "" : ` of ${one.most_requests}`;
  process.stdout.write(
    `${fits ? "" : "TOO LARGE: "}${one.name}: ${size.toFixed(1)} of ${one.most_kb} KB ` +
      `(JavaScript ${scripts.toFixed(1)}), ${requests}${most} requests\n`,
  );
}
process.exit(passed ? 0 : 1);
