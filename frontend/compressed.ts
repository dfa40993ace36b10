import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import type { Plugin } from "vite";

const WORTH_BYTES = 1024;

/** Of these block sizes (powers of 2) now one, now the other compresses best. */
const BLOCKS = [17, 20];

function smallest(content: Buffer): Buffer {
  const tried = BLOCKS.map((size) =>
    brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_LGBLOCK]: size } }),
  );
  return tried.reduce((best, one) => (one.length < best.length ? one : best));
}

/** Beside every asset its brotli form, which the API serves to browsers that take it. */
export function compressed(): Plugin {
  let folder = "";
  return {
    name: "compressed",
    apply: "build",
    configResolved: ({ build }) => {
      folder = join(build.outDir, build.assetsDir);
    },
    closeBundle: () => {
      for (const name of readdirSync(folder).filter((file) => /\.(js|css)$/.test(file))) {
        if (existsSync(join(folder, `${name}.br`))) continue;
        const content = readFileSync(join(folder, name));
        if (content.length < WORTH_BYTES) continue;
        writeFileSync(join(folder, `${name}.br`), smallest(content));
      }
    },
  };
}
