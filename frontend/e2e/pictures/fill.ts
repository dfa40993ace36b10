import { join } from "node:path";
import { REPOSITORY, run } from "../cluster";
import { type Rest, stack } from "../fixtures";

/** Has `bench.pages` write runs into the stack: those to look at, or as many small ones. */
export async function fill(rest: Rest, many?: number): Promise<void> {
  const { items } = await rest.get<{ items: [{ id: string }] }>("/clusters");
  const state = `PODMETER_STATE_DIR=${stack.state}`;
  const words = [state, join(REPOSITORY, ".venv/bin/python"), "-m", "bench.pages", items[0].id];
  run("env", [...words, ...(many === undefined ? [] : ["--many", String(many)])]);
}
