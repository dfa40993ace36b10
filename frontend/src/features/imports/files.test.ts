import { expect, it } from "vitest";
import { LONGEST_TEXT } from "~/queries/imports";
import { chosenFiles, droppedFiles, MOST_FILES, shortNames, withFiles } from "./files";

const file = (name: string, ...parts: BlobPart[]) => new File(parts, name);
const named = (path: string, ...parts: BlobPart[]) => ({ path, file: file(path, ...parts) });

it("puts each file below its name, and one alone as it is", async () => {
  const one = [named("a.txt", "alone\r\n")];
  expect(await withFiles("", one, "Text 1")).toEqual({ text: "alone\n", leftOut: [] });
  const two = [named("r/ipvs.log", "1"), named("r/nft.log", "2")];
  expect((await withFiles("", two, "Text 1")).text).toBe("=== ipvs ===\n1\n\n=== nft ===\n2\n");
  expect((await withFiles("before", one, "Text 1")).text).toBe(
    "=== Text 1 ===\nbefore\n\n=== a ===\nalone\n",
  );
});

it("says of each file that is left out why", async () => {
  const many = Array.from({ length: MOST_FILES + 1 }, (_, index) => named(`${index}`, "x"));
  expect((await withFiles("", many, "")).leftOut).toEqual([{ path: `${MOST_FILES}`, why: "many" }]);
  const odd = [
    named("picture.png", new Uint8Array([0x89, 0, 1])),
    named("empty.txt", " \n"),
    named("long.txt", "x".repeat(LONGEST_TEXT + 1)),
    named("good.txt", "good"),
  ];
  const { text, leftOut } = await withFiles("", odd, "");
  expect(leftOut.map(({ path, why }) => [path, why])).toEqual([
    ["picture.png", "binary"],
    ["empty.txt", "empty"],
    ["long.txt", "large"],
  ]);
  expect(text).toBe("=== good ===\ngood\n");
});

it("reads UTF-16 by its mark", async () => {
  const little = new Uint8Array([0xff, 0xfe, 0x61, 0, 0xb5, 0]);
  const big = new Uint8Array([0xfe, 0xff, 0, 0x61, 0, 0xb5]);
  for (const bytes of [little, big]) {
    expect((await withFiles("", [named("x", bytes)], "")).text).toBe("aµ");
  }
});

it("takes what is in folders in the order of the names, without what is hidden", async () => {
  const entry = (path: string, children?: unknown[]) => {
    const name = path.split("/").at(-1) ?? "";
    let left = children === undefined ? [] : [children];
    return {
      name,
      fullPath: path,
      isFile: children === undefined,
      file: (give: (one: File) => void) => give(file(name, "x")),
      createReader: () => ({
        readEntries: (give: (batch: unknown[]) => void) => {
          const [batch = []] = left;
          left = [];
          give(batch);
        },
      }),
    };
  };
  const folder = entry("/r", [
    entry("/r/run-10.txt"),
    entry("/r/run-2.txt"),
    entry("/r/.git", [entry("/r/.git/config")]),
    entry("/r/b", [entry("/r/b/c.txt")]),
  ]);
  const items = [{ kind: "file", webkitGetAsEntry: () => folder, getAsFile: () => null }];
  const found = await droppedFiles({ items } as unknown as DataTransfer);
  expect(found.map(({ path }) => path)).toEqual(["r/b/c.txt", "r/run-2.txt", "r/run-10.txt"]);
  expect(chosenFiles([file("b"), file("a")]).map(({ path }) => path)).toEqual(["a", "b"]);
});

it("shortens names to what tells them apart", () => {
  expect(shortNames(["r/a/x.txt", "r/b/x.txt"])).toEqual(["a/x", "b/x"]);
  expect(shortNames(["r/x.txt", "r/x.log"])).toEqual(["x.txt", "x.log"]);
});
