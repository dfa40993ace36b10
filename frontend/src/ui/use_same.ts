import { replaceEqualDeep } from "@tanstack/react-query";
import { useRef } from "react";

/** The same object as long as what it says is the same. */
export function useSame<Value>(value: Value): Value {
  const known = useRef(value);
  known.current = replaceEqualDeep(known.current, value) as Value;
  return known.current;
}
