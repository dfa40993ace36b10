import { expect, it } from "vitest";
import { readClaims, writeClaims } from "./claims";

it("reads a pattern for each claim, which may have an equals sign", () => {
  const text = " repository = acme/net \n\nref=refs/heads/a=b\nnothing";
  const claims = { repository: "acme/net", ref: "refs/heads/a=b", nothing: "" };
  expect(readClaims(text)).toEqual(claims);
  expect(readClaims(writeClaims(claims))).toEqual(claims);
});
