import { NativeSelect, type NativeSelectProps } from "@mantine/core";
import type { Schemas } from "~/api/types";
import { useWords } from "~/i18n/words";

type Role = Schemas["Role"];

/** From the role with the fewest permissions. */
const ROLES: readonly Role[] = ["viewer", "operator", "admin"];

interface Props extends Omit<NativeSelectProps, "data" | "value" | "onChange"> {
  value: Role;
  onChange: (role: Role) => void;
  /** Which of them can be given; all if it is left out. */
  offered?: (role: Role) => boolean;
}

/** A choice of roles. */
export function RoleSelect({ value, onChange, offered = () => true, ...field }: Props) {
  const word = useWords();
  return (
    <NativeSelect
      {...field}
      data={ROLES.filter(offered).map((role) => ({ value: role, label: word("role", role) }))}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value as Role)}
    />
  );
}
