import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { compression } from "vite-plugin-compression2";
import { defineConfig } from "vitest/config";
import { texts } from "./texts.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const API = process.env.PODMETER_DEV_API ?? "http://127.0.0.1:8080";

/** What all charts are made of: in more and smaller pieces it is sent as more bytes. */
const CHARTS =
  /node_modules\/(recharts|victory-vendor|d3-|internmap|@reduxjs|react-redux|redux|reselect|immer|decimal|es-toolkit|use-sync-external-store)|use-resize-observer|use-element-size|src\/charts\/(?!pair_|heat_|report\/|layout\/)/;

/** What pages without charts have too. */
const UI =
  /src\/(ui|quantities)\/|core\/esm\/(core|components\/(Button|Paper)\/)|hooks\/esm\/(use-(id|merged-ref|uncontrolled)|utils)\//;

/** What most pages of the application have, with what the overview's own small drawings take. */
const PARTS =
  /src\/(ui|quantities|queries|api|list_tools|features\/accounts)\/|src\/i18n\/explained|src\/charts\/(axis_scale|exports\/download|hues|legend|markers|palette|patterns|text_width|use_chart_colors)\b|node_modules\/(@mantine|@tabler|@tanstack|html-parse-stringify)\//;

/** What experiments are written in, and clusters registered with. */
const EDITOR = /src\/features\/(experiments|clusters)\/|node_modules\/yaml\//;

const FIRST = { name: "first", tags: ["$initial" as const], priority: 2 };
/**
 * What a part that is loaded later shares with charts stays with them, but for what pages without
 * charts need as well.
 */
const SHARED = [
  { name: "ui", test: UI, minShareCount: 3, priority: 1 },
  { name: "charts", test: CHARTS, minShareCount: 2 },
];
/**
 * In the application what several pages share is a few files, so that a page takes few requests:
 * parts of every page, charts, what experiments and clusters are edited with, and the rest. The
 * login takes the first of them alone, the overview no charts and no editor. The texts are apart:
 * the first file awaits them, and must not be what they wait for.
 */
const OF_APP = [
  { name: "parts", test: PARTS, minShareCount: 2, priority: 2 },
  { name: "charts", test: CHARTS, minShareCount: 2, priority: 1 },
  { name: "editor", test: EDITOR, minShareCount: 2, priority: 1 },
  { name: "shared", test: /^(?!.*(codemirror|lezer|yaml|i18n))/, minShareCount: 2 },
];

/** What a test puts in the place of something that tests of other files have too. */
const REPLACES = /\bvi\.(mock|hoisted|spyOn|stub\w+|useFakeTimers|resetModules)\(|\bwithRoom\b/;

/** Test files that replace nothing, which are many, and those that do. */
function testFiles(): { plain: string[]; replacing: string[] } {
  const files = readdirSync(here("./src"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => `src/${name}`);
  const replaces = (name: string) => REPLACES.test(readFileSync(here(`./${name}`), "utf8"));
  return {
    plain: files.filter((name) => !replaces(name)),
    replacing: files.filter(replaces),
  };
}

/**
 * Beside every text its brotli form, and its gzip form, since browsers take brotli by https alone.
 * The API serves them as they are.
 */
const compressed = () =>
  compression({
    algorithms: ["brotliCompress", "gzip"],
    include: /\.(js|css|html|svg)$/,
    threshold: 1024,
  });

/** What the server reads of the built UI: how verdicts are decided, which it shows at `/method`. */
const forServer = (): Plugin => ({
  name: "for-server",
  apply: "build",
  generateBundle() {
    const source = readFileSync(here("../docs/explanation/verdicts.md"));
    this.emitFile({ type: "asset", fileName: "verdicts.md", source });
  },
});

/**
 * Two pages: the application, and what a snapshot's link shows without it. Each is a build of its
 * own (`--mode public` is the second): chunks that both can use are many and small, and hold what
 * only the application needs.
 */
export default defineConfig(({ mode }) => ({
  plugins: [
    react(),
    texts(here("../core/src/podmeter"), here("./src/i18n")),
    compressed(),
    ...(mode === "public" ? [] : [forServer()]),
  ],
  resolve: {
    alias: { "~": here("./src") },
  },
  build: {
    target: "es2022",
    rolldownOptions: {
      input: mode === "public" ? here("./snapshot.html") : here("./index.html"),
      output: {
        codeSplitting: {
          groups: [FIRST, ...(mode === "public" ? SHARED : OF_APP)],
        },
      },
    },
    manifest: mode === "public" ? ".vite/public.json" : ".vite/app.json",
    emptyOutDir: mode !== "public",
    copyPublicDir: mode !== "public",
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { "/api": API, "/s/": API } },
  test: {
    environment: "jsdom",
    setupFiles: ["./src/test_setup.ts"],
    css: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "threads",
    // Loading a window and all modules takes longer than most files' tests: only those that replace
    // something have them for themselves.
    projects: [
      {
        extends: true,
        test: { name: "plain", include: testFiles().plain, isolate: false },
      },
      { extends: true, test: { name: "replacing", include: testFiles().replacing } },
    ],
  },
}));
