import { join } from "node:path";
import { REPOSITORY, run } from "../cluster";
import { stack, test } from "../fixtures";

/** Runs of both kinds with full rounds, one that failed and one that failed in part. */
test("runs to look at", async ({ rest }) => {
  test.setTimeout(300_000);
  const { items } = await rest.get<{ items: [{ id: string }] }>("/clusters");
  const python = join(REPOSITORY, ".venv/bin/python");
  const state = `PODMETER_STATE_DIR=${stack.state}`;
  run("env", [state, python, "-m", "bench.pages", items[0].id]);
});
