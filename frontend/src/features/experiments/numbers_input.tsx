import { TextInput } from "@mantine/core";
import { useState } from "react";
import type { AxisValue } from "~/api/types";
import { axisNumbers } from "./typed";

/** A list of numbers in one line, "10, 500, 1000"; a comma or a space parts them. */
export function NumbersInput({
  label,
  values,
  placeholder,
  invalid,
  onChange,
}: {
  label: string;
  values: readonly AxisValue[];
  placeholder: string;
  invalid: boolean;
  onChange: (values: AxisValue[]) => void;
}) {
  const [typed, setTyped] = useState("");
  const read = axisNumbers(typed);
  const asTyped = read.length === values.length && read.every((value, i) => value === values[i]);
  return (
    <TextInput
      aria-label={label}
      error={invalid}
      placeholder={placeholder}
      value={asTyped ? typed : values.join(", ")}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        onChange(axisNumbers(event.currentTarget.value));
      }}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
