import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import type { AxisValue } from "~/api/types";
import { sampleSize } from "./pairs";
import { PairsField } from "./pairs_field";

/** The field with a document behind it; `found` has the current value. */
function draw(first: AxisValue[] | undefined, words = ["one", "all", "zones", "rotate"]) {
  let now = first;
  function Field() {
    const [values, setValues] = useState(first);
    now = values;
    return (
      <PairsField
        label="Pairs"
        words={words}
        chosen={values ?? []}
        invalid={false}
        onChange={setValues}
      />
    );
  }
  render(
    <MantineProvider>
      <Field />
    </MantineProvider>,
  );
  return () => now;
}

const chosen = () =>
  screen.getAllByRole("radio").findIndex((one) => (one as HTMLInputElement).checked);

describe("the field of pairs", () => {
  it("is one pair where nothing stands, and takes out what stood for that", async () => {
    const found = draw(undefined);
    expect(chosen()).toBe(0);
    const [one, all] = screen.getAllByRole("radio");
    await userEvent.click(all as HTMLElement);
    expect(found()).toEqual(["all"]);
    await userEvent.click(one as HTMLElement);
    expect(found()).toBeUndefined();
  });

  it("asks for the size of a sample, and keeps the last one while nothing is typed", async () => {
    const found = draw(["all"]);
    await userEvent.click(screen.getAllByRole("radio")[4] as HTMLElement);
    expect(found()).toEqual(["sample-20"]);
    const size = screen.getByRole("textbox");
    await userEvent.clear(size);
    expect(found()).toEqual(["sample-20"]);
    await userEvent.type(size, "35");
    expect(found()).toEqual(["sample-35"]);
  });

  it("takes another pair each round", async () => {
    const found = draw(undefined);
    await userEvent.click(screen.getByText("Another pair each round"));
    expect(found()).toEqual(["rotate"]);
    expect(chosen()).toBe(3);
  });

  it("offers no sample where pairs are no cases", () => {
    draw(["rotate"], ["one", "rotate"]);
    expect(screen.getAllByRole("radio").length).toBe(2);
    expect(chosen()).toBe(1);
  });

  it("shows pairs that are named, each to be left out", async () => {
    const found = draw(["node-1~node-2", "node-2~node-1"]);
    expect(chosen()).toBe(-1);
    expect(screen.getByText("node-1 → node-2")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Remove node-2 → node-1" }));
    expect(found()).toEqual(["node-1~node-2"]);
  });

  it("reads a sample as the API does", () => {
    expect(["sample-5", "sample-0", "sample-x", "all", 7, undefined].map(sampleSize)).toEqual([
      ...[5, null, null, null, null, null],
    ]);
  });
});
