import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { LONGEST_TEXT, type Preview, previewOptions } from "~/queries/imports";

/** How long nobody types before a text is read. */
const TYPED_MS = 350;

export interface Reading {
  /** What was recognised last; of an earlier text while `current` is false. */
  preview: Preview | undefined;
  current: boolean;
  /** Whether the text is being read. */
  busy: boolean;
  error: Error | null;
}

/** What the API recognises in a text, soon after it was changed. The last text wins. */
export function usePreview(text: string, may: boolean): Reading {
  const [settled] = useDebouncedValue(text, TYPED_MS);
  const readable = may && text.trim() !== "" && text.length <= LONGEST_TEXT;
  const asked = readable && settled.trim() !== "" && settled.length <= LONGEST_TEXT;
  const query = useQuery(previewOptions(settled, asked));
  if (!readable) return { preview: undefined, current: false, busy: false, error: null };
  const current = settled === text && query.isSuccess && !query.isPlaceholderData;
  return {
    preview: query.data,
    current,
    busy: !current && (settled !== text || query.isFetching),
    error: settled === text ? query.error : null,
  };
}
