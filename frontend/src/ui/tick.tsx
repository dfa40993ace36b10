import { Group } from "@mantine/core";

interface TickProps {
  label: string;
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
}

/** The browser's own box: on a public page, another one is not worth its size. */
export function Tick({ label, checked, disabled, onChange }: TickProps) {
  return (
    <Group component="label" gap="xs" fz="sm">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
        style={BOX}
      />
      {label}
    </Group>
  );
}

const BOX = {
  width: 20,
  height: 20,
  margin: 0,
  accentColor: "var(--mantine-primary-color-filled)",
};
