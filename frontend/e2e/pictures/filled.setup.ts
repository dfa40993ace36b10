import { test } from "../fixtures";
import { fill } from "./fill";

/** Runs of both kinds with full rounds, one that failed and one that failed in part. */
test("runs to look at", async ({ rest }) => {
  await fill(rest);
});
