import { useEffect, useEffectEvent } from "react";

/** Calls `ends` whenever the text has changed: what was said of the one before ends with it. */
export function useOnTextChange(text: string, ends: () => void): void {
  const end = useEffectEvent(ends);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text is what ends it
  useEffect(() => end(), [text]);
}
