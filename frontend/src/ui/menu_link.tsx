import { Menu, type MenuItemProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ReactNode, Ref } from "react";

interface Inside {
  children?: ReactNode;
  ref?: Ref<HTMLAnchorElement>;
}

function PlainItem(props: MenuItemProps & Inside) {
  return <Menu.Item component="a" {...props} />;
}

/** An item of a menu that leads elsewhere. */
export const MenuLink = createLink(PlainItem);
