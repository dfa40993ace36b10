import { describe, expect, it } from "vitest";
import { parseArticleChoices } from "~/queries/reproduced";
import { readReproducedSearch } from "./search";

const RUN = "0f8fad5b-d9cb-469f-a165-70867728950e";
const OTHER = "7c9e6679-7425-40de-944b-e07fc1f90ae7";

describe("what /references/reproduced is asked for", () => {
  it("is articles with their runs", () => {
    const of = `calico-modes-2024:${RUN}.${OTHER},flannel-qperf:${OTHER}`;
    expect(parseArticleChoices(of)).toEqual([
      { reference: "calico-modes-2024", runs: [RUN, OTHER] },
      { reference: "flannel-qperf", runs: [OTHER] },
    ]);
    expect(readReproducedSearch({ of })).toEqual({ of });
  });

  it.each([
    "",
    "calico-modes-2024",
    `calico-modes-2024:${RUN}.no`,
    7,
    undefined,
  ])("is nothing where the address says %j", (of) => {
    expect(readReproducedSearch({ of })).toEqual({});
  });
});
