import {
  type RegisteredRouter,
  type RouteById,
  type RouteIds,
  useNavigate,
  useSearch,
} from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useStableValue } from "./use_stable_value";

type Tree = RegisteredRouter["routeTree"];
type SearchOf<Id extends RouteIds<Tree>> = RouteById<Tree, Id>["types"]["fullSearchSchema"];

/**
 * What a route's address says after `?`, what changes parts of it in place, and what changes all of
 * it. A change is seen at once, and the address follows once the router has drawn it: on a slow
 * machine a box sprang back until then, letters were lost, and of two boxes ticked quickly the first.
 */
export function useSearchState<Id extends RouteIds<Tree>>(
  from: Id,
): [
  search: SearchOf<Id>,
  change: (part: Partial<SearchOf<Id>>) => void,
  replace: (whole: SearchOf<Id>) => void,
] {
  const said = useSearch({ from } as never) as SearchOf<Id>;
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Partial<SearchOf<Id>> | null>(null);
  const changes = useRef(0);
  // One object from the change until the address says the same: what it shows is drawn once.
  const search: SearchOf<Id> = useStableValue(asked === null ? said : { ...said, ...asked });

  async function change(part: Partial<SearchOf<Id>>) {
    changes.current += 1;
    const mine = changes.current;
    setAsked((before) => ({ ...before, ...part }));
    await navigate({
      to: ".",
      search: (old: object) => ({ ...old, ...part }),
      replace: true,
      resetScroll: false,
    } as never);
    if (mine === changes.current) setAsked(null);
  }
  return [
    search,
    (part) => void change(part),
    (whole) => void change({ ...nothingOf(search), ...whole }),
  ];
}

/** Each key without its value. */
function nothingOf<Search extends object>(search: Search): Partial<Search> {
  return Object.fromEntries(Object.keys(search).map((key) => [key, undefined])) as Partial<Search>;
}
