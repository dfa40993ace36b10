import { IconSelector } from "@tabler/icons-react";
import { type CSSProperties, useId } from "react";
import classes from "./select.module.css";

export interface Option {
  value: string;
  label: string;
}

interface SelectProps {
  label: string;
  value: string;
  data: readonly (Option | { group: string; items: readonly Option[] })[];
  onChange: (value: string) => void;
  style?: CSSProperties;
}

/**
 * The browser's own list of choices, in the looks of Mantine's `NativeSelect` beside it: on a public
 * page that one is not worth its size.
 */
export function Select({ label, value, data, onChange, style }: SelectProps) {
  const id = useId();
  return (
    <div className={classes.select} style={style}>
      <label htmlFor={id}>{label}</label>
      <div className={classes.field}>
        <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {data.map((one) =>
            "items" in one ? (
              <optgroup key={one.group} label={one.group}>
                {one.items.map(option)}
              </optgroup>
            ) : (
              option(one)
            ),
          )}
        </select>
        <IconSelector size={16} className={classes.sign} aria-hidden />
      </div>
    </div>
  );
}

const option = ({ value, label }: Option) => (
  <option key={value} value={value}>
    {label}
  </option>
);
