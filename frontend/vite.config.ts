import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { compressed } from "./compressed";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const API = process.env.PODMETER_DEV_API ?? "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [react(), compressed()],
  resolve: { alias: { "~": here("./src") } },
  build: {
    // Two pages: the application, and what a snapshot's link shows without it.
    rollupOptions: { input: { app: here("./index.html"), snapshot: here("./snapshot.html") } },
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { "/api": API, "/s/": API } },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["./src/test_setup.ts"],
    css: false,
    testTimeout: 60_000,
  },
});
