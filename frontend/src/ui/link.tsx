import { Anchor, type AnchorProps, Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ReactNode, Ref } from "react";

/** Navigation in the application's looks; addresses, parameters and search are typed as a Link's. */
interface Inside {
  children?: ReactNode;
  title?: string;
  ref?: Ref<HTMLAnchorElement>;
}

function PlainAnchor(props: AnchorProps & Inside) {
  return <Anchor {...props} />;
}

function PlainButton(props: ButtonProps & Inside) {
  return <Button component="a" {...props} />;
}

export const AnchorLink = createLink(PlainAnchor);
export const ButtonLink = createLink(PlainButton);
