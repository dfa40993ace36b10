import { useEffect, useState } from "react";

const KEY = "podmeter.import";

/** The text as it was left: a reload, an error or an expired login loses nothing of it. */
export function useDraft(): [string, (text: string) => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(KEY) ?? "");
  useEffect(() => {
    try {
      sessionStorage.setItem(KEY, text);
    } catch {
      // More than the browser keeps; the page itself still has it.
    }
  }, [text]);
  return [text, setText];
}
