import { logIn, ready } from "../fixtures";
import { inEveryLook } from "./taken";

/** The empty states of pages. */
inEveryLook("nothing is there yet", async (page, shot) => {
  await logIn(page);
  for (const path of [
    "/",
    "/clusters",
    "/experiments",
    "/runs",
    "/compare",
    "/snapshots",
    "/settings",
    "/members",
  ]) {
    await page.goto(shot.at(path));
    await ready(page);
    await shot.take(`empty ${path}`);
  }
});
