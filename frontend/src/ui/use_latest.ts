import { useCallback, useRef } from "react";

/** The same function all the time, that calls the one of the latest drawing. */
export function useLatest<Argument, Result>(
  call: (argument: Argument) => Result,
): (argument: Argument) => Result {
  const latest = useRef(call);
  latest.current = call;
  return useCallback((argument) => latest.current(argument), []);
}
