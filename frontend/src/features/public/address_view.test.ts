import { expect, it } from "vitest";
import { readAddress, writeAddress } from "./address_view";

it("keeps a view through the address, and what else stands there", () => {
  const view = { metric: "throughput", x: "services", series: ["path", "protocol"] };
  const search = writeAddress("?lang=zh", view);
  expect(search).toBe("?lang=zh&metric=throughput&x=services&series=path%2Cprotocol");
  expect(readAddress(search)).toEqual(view);
});

it("forgets what the next view does not name", () => {
  expect(writeAddress("?metric=throughput&yScale=log", {})).toBe("");
});

it("reads nothing from an address that names nothing", () => {
  expect(readAddress("?metric=%3Cscript%3E&yScale=cubic")).toEqual({});
});
