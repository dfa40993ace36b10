import { type ComponentType, createElement, type FC, lazy, useState } from "react";

/** A part's code did not arrive: no connection, or it was replaced by a newer version's. */
export class NotLoadedError extends Error {
  /** Tries once more. */
  readonly again: () => Promise<void>;

  constructor(cause: unknown, again: () => Promise<void>) {
    super(String(cause), { cause });
    this.name = "NotLoadedError";
    this.again = again;
  }
}

type PropsOf<Part> = Part extends (props: infer Props extends object) => unknown ? Props : never;

export type LazyPart<Props> = FC<Props> & { preload: () => Promise<void> };

interface Attempt {
  loading: Promise<{ default: FC<object> }>;
  Drawn: ComponentType<object>;
  failed: boolean;
}

/**
 * A component that is loaded when it is first drawn. Where its code does not arrive it throws a
 * `NotLoadedError`, with which it can be tried again: React's own `lazy` keeps the rejection, so
 * each attempt has one of its own.
 */
export function lazyPart<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
): LazyPart<PropsOf<Module[Name]>> {
  let found: FC<object> | undefined;
  let attempt: Attempt | undefined;

  function begin(): Attempt {
    const loading = load().then(
      (module) => {
        found = module[name] as FC<object>;
        return { default: found };
      },
      (error: unknown) => {
        throw new NotLoadedError(error, preload);
      },
    );
    const begun = { loading, Drawn: lazy(() => loading), failed: false };
    loading.catch(() => {
      begun.failed = true;
    });
    attempt = begun;
    return begun;
  }

  async function preload(): Promise<void> {
    const { loading } = attempt === undefined || attempt.failed ? begin() : attempt;
    await loading.catch(() => undefined);
  }

  function Part(props: object) {
    // What was loaded before is drawn at once; as what it is drawn it stays.
    const [Drawn] = useState<ComponentType<object>>(() => found ?? (attempt ?? begin()).Drawn);
    return createElement(Drawn, props);
  }
  return Object.assign(Part as FC<PropsOf<Module[Name]>>, { preload });
}
