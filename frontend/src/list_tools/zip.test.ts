import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { zip } from "./zip";

const READ = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    print(json.dumps({name: archive.read(name).decode() for name in archive.namelist()}))
`;

/** What a browser's `arrayBuffer` gives; the blobs of these tests have none. */
const bytesOf = (blob: Blob) =>
  new Promise<ArrayBuffer>((read) => {
    const reader = new FileReader();
    reader.onload = () => read(reader.result as ArrayBuffer);
    reader.readAsArrayBuffer(blob);
  });

it("is read by another program, with its checksums, every name once", async () => {
  const files = [
    { name: "paths.json", text: '{"a": 1}' },
    { name: "paths.json", text: "" },
    { name: "生产环境.md", text: "吞吐量 ½\n".repeat(1000) },
  ];
  const folder = mkdtempSync(join(tmpdir(), "podmeter-zip-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "runs.zip");
  writeFileSync(path, Buffer.from(await bytesOf(zip(files))));
  const read = execFileSync("python3", ["-c", READ, path], {
    encoding: "utf8",
    env: { ...process.env, PYTHONUTF8: "1" },
    maxBuffer: 1 << 24,
  });
  expect(JSON.parse(read)).toEqual({
    "paths.json": '{"a": 1}',
    "paths-2.json": "",
    "生产环境.md": "吞吐量 ½\n".repeat(1000),
  });
});
