import { defaultParseSearch, defaultStringifySearch } from "@tanstack/react-router";
import { useState } from "react";

export type Search = Record<string, unknown>;

/** The address of a page without a router, written as the router writes those inside. */
export function readAddress(search: string): Search {
  return defaultParseSearch(search);
}

/** The whole next view, and the language that the link was given in. */
export function writeAddress(search: string, view: object): string {
  return defaultStringifySearch({ lang: readAddress(search).lang, ...view });
}

export function useAddress(): [Search, (view: object) => void] {
  const [search, setSearch] = useState(() => readAddress(location.search));
  return [
    search,
    (view) => {
      const next = writeAddress(location.search, view);
      setSearch(readAddress(next));
      history.replaceState(null, "", location.pathname + next);
    },
  ];
}
