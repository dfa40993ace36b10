import { useEffect, useRef, useState } from "react";

/** The fragment after the `#` of a link, read once the page has loaded. */
export function useLinkRead(read: (token: string) => void): string {
  const [token] = useState(() => location.hash.slice(1));
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current) return;
    asked.current = true;
    // A link without it names nothing, which the API says as of any other that is wrong.
    read(token || "-");
  }, [read, token]);
  return token;
}
