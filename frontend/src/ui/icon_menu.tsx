import { ActionIcon, type ActionIconProps } from "@mantine/core";
import { type ComponentProps, type ReactNode, Suspense, useState } from "react";
import { lazyPart } from "./lazy_part";

/** One thing to choose; null is a line between groups of them. */
export type MenuChoice = {
  label: string;
  icon?: ReactNode;
  onClick: () => void;
  /** Whether it is the current choice. */
  current?: boolean;
  disabled?: boolean;
  lang?: string;
} | null;

export interface IconMenuProps {
  label: string;
  icon: ReactNode;
  choices: readonly MenuChoice[];
  size?: ActionIconProps["size"];
  onOpen?: () => void;
}

const Drawn = lazyPart(() => import("./drawn_menu"), "DrawnMenu");

/**
 * A button that opens a menu. What places and draws menus is loaded when a pointer or the focus
 * comes near a first one: most who read a page open none.
 */
export function IconMenu(props: IconMenuProps) {
  const [asked, setAsked] = useState(false);
  const near = () => void Drawn.preload();
  const button = (
    <MenuButton
      {...props}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={near}
      onFocus={near}
      onClick={() => {
        // Also where loading it failed before.
        near();
        setAsked(true);
      }}
    />
  );
  return asked ? (
    <Suspense fallback={button}>
      <Drawn {...props} />
    </Suspense>
  ) : (
    button
  );
}

/** The button alone. */
export function MenuButton({
  label,
  icon,
  choices: _,
  onOpen: __,
  ...rest
}: IconMenuProps & Omit<ComponentProps<"button">, "color" | "size">) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} {...rest}>
      {icon}
    </ActionIcon>
  );
}
