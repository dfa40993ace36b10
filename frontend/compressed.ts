import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import type { Plugin } from "vite";

const WORTH_BYTES = 1024;

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
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content));
      }
    },
  };
}
