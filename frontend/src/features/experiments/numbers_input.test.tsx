import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import type { AxisValue } from "~/api/types";
import { NumbersInput } from "./numbers_input";

function Field({ seen }: { seen: AxisValue[][] }) {
  const [values, setValues] = useState<AxisValue[]>([10]);
  return (
    <MantineProvider>
      <NumbersInput
        label="Services"
        values={values}
        placeholder=""
        invalid={false}
        onChange={(next) => {
          seen.push(next);
          setValues(next);
        }}
      />
      <button type="button" onClick={() => setValues([7, 8])}>
        elsewhere
      </button>
    </MantineProvider>
  );
}

describe("NumbersInput", () => {
  it("keeps what is half typed and follows what is changed elsewhere", async () => {
    const seen: AxisValue[][] = [];
    render(<Field seen={seen} />);
    const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Services" });
    await userEvent.type(field, ", 50");
    expect(field.value).toBe("10, 50");
    expect(seen.at(-1)).toEqual([10, 50]);
    await userEvent.type(field, ", ");
    expect(field.value).toBe("10, 50, ");
    await userEvent.click(screen.getByText("elsewhere"));
    expect(field.value).toBe("7, 8");
  });
});
