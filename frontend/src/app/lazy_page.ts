import type { RouteComponent } from "@tanstack/react-router";
import type { FC } from "react";
import { lazyPart } from "~/ui/lazy_part";

type Load = () => Promise<Record<string, FC>>;

/**
 * A page that is loaded when it is first visited. One that does not arrive fails by itself, and
 * can be tried again: the router's own would load the whole application again, which offline leaves
 * nothing of it.
 */
export function lazyPage(load: Load, name: string): RouteComponent {
  return lazyPart(load, name);
}
