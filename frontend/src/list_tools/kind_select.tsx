import { useTranslation } from "react-i18next";
import type { Schemas } from "~/api/types";
import { useWords } from "~/i18n/words";
import { FilterSelect } from "./list_filters";

type Kind = Schemas["KindName"];

/** Narrows a list to what is of one kind. */
export function KindSelect({
  label,
  kinds,
  kind,
  onChange,
}: {
  label: string;
  kinds: readonly Kind[];
  kind: Kind | undefined;
  onChange: (change: { kind: Kind | undefined; pages: undefined }) => void;
}) {
  const { t } = useTranslation("finding");
  const word = useWords();
  return (
    <FilterSelect
      label={label}
      value={kind}
      data={[
        { value: "", label: t("all_kinds") },
        ...kinds.map((name) => ({ value: name, label: word("kind", name) })),
      ]}
      onChange={(value) =>
        onChange({ kind: kinds.find((name) => name === value), pages: undefined })
      }
    />
  );
}
