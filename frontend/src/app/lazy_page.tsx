import type { RouteComponent } from "@tanstack/react-router";
import { createElement, type FC, use } from "react";
import { connection } from "~/queries/connection";

type Load = () => Promise<Record<string, FC>>;

/** A page's code did not arrive: no connection, or it was replaced by a newer version's. */
export class PageNotLoadedError extends Error {
  /** Tries once more. */
  readonly again: () => Promise<void>;

  constructor(cause: unknown, again: () => Promise<void>) {
    super(String(cause), { cause });
    this.name = "PageNotLoadedError";
    this.again = again;
  }
}

/**
 * A page that is loaded when it is first visited. One that does not arrive fails by itself, and
 * can be tried again: the router's own would load the whole application again, which offline leaves
 * nothing of it.
 */
export function lazyPage(load: Load, name: string): RouteComponent {
  let found: FC | undefined;
  let failure: PageNotLoadedError | undefined;
  let loading: Promise<void> | undefined;

  function preload(): Promise<void> {
    failure = undefined;
    loading ??= load()
      .then(
        (module) => {
          found = module[name];
        },
        (error: unknown) => {
          failure = new PageNotLoadedError(error, preload);
          connection.doubt();
        },
      )
      .finally(() => {
        loading = undefined;
      });
    return loading;
  }

  function LazyPage() {
    if (failure !== undefined) throw failure;
    if (found === undefined) use(preload());
    return found && createElement(found);
  }
  return Object.assign(LazyPage, { preload });
}
