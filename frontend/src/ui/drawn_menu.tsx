import { Menu } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { type IconMenuProps, MenuButton } from "./icon_menu";

/** The menu itself; opens as soon as it is there, for it is asked for by a press of its button. */
export function DrawnMenu(props: IconMenuProps) {
  const { choices, onOpen } = props;
  const button = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    // It stands where the button that was pressed stood, and gets the focus back when closed.
    button.current?.focus();
    setOpened(true);
  }, []);
  return (
    <Menu position="bottom-end" opened={opened} onChange={setOpened} onOpen={onOpen}>
      <Menu.Target>
        <MenuButton {...props} ref={button} />
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map((choice, place) =>
          choice === null ? (
            <Menu.Divider key={`line-${place}`} />
          ) : (
            <Menu.Item
              key={choice.label}
              lang={choice.lang}
              leftSection={choice.icon}
              disabled={choice.disabled}
              aria-current={choice.current}
              fw={choice.current ? 700 : undefined}
              onClick={choice.onClick}
            >
              {choice.label}
            </Menu.Item>
          ),
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
