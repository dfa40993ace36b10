import { useQuery } from "@tanstack/react-query";
import { IMPORT } from "~/api/kinds";
import { referenceOptions, referencesOptions } from "~/queries/references";

/** The references that measured what a kind measures, and the chosen one once it is read. */
export function usePublished(kind: string, chosen: string | undefined) {
  const listed = useQuery(referencesOptions);
  const read = useQuery({ ...referenceOptions(chosen ?? ""), enabled: chosen !== undefined });
  return {
    references: (listed.data ?? []).filter(({ kinds }) => kind === IMPORT || kinds.includes(kind)),
    reference: chosen === undefined ? undefined : read.data,
  };
}
