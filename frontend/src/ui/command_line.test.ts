import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { commandLine } from "./command_line";

describe("commandLine", () => {
  it("leaves plain words alone", () => {
    expect(commandLine(["iperf3", "--client", "10.0.0.1", "-P", "8"])).toBe(
      "iperf3 --client 10.0.0.1 -P 8",
    );
  });

  it("is read by a shell as the same arguments", () => {
    const argv = ["curl", "-w", "%{time_total}\\n", "it's $HOME", "", "*", "a\nb", "ü"];
    const printed = execFileSync("sh", ["-c", `printf '%s\\0' ${commandLine(argv)}`]);
    expect(printed.toString().split("\0").slice(0, -1)).toEqual(argv);
  });
});
