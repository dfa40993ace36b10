import { useRef } from "react";

/** The same object as long as what it says, as JSON, is the same. */
export function useStableValue<Value>(value: Value): Value {
  const known = useRef(value);
  if (JSON.stringify(known.current) !== JSON.stringify(value)) known.current = value;
  return known.current;
}
