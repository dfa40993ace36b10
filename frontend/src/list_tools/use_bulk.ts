import { useRef, useState } from "react";

/** What came of each item so far: null is done, an error why not. */
export type Results = ReadonlyMap<string, Error | null>;

/** Does the same to several things, one after the other; one that fails stops none after it. */
export function useBulk(act: (id: string) => Promise<void>) {
  const [results, setResults] = useState<Results | null>(null);
  const [pending, setPending] = useState(false);
  const going = useRef(false);

  async function run(ids: readonly string[]): Promise<Results> {
    const found = new Map<string, Error | null>();
    if (going.current) return found;
    going.current = true;
    setPending(true);
    setResults(found);
    for (const id of ids) {
      try {
        await act(id);
        found.set(id, null);
      } catch (error) {
        found.set(id, error as Error);
      }
      setResults(new Map(found));
    }
    going.current = false;
    setPending(false);
    return found;
  }
  return { run, results, pending };
}
