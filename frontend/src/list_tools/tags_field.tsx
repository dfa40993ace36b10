import { TagsInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { tagsOptions } from "~/queries/marks";

/** Tags, of which the organization's others are offered; written small, as they are kept. */
export function TagsField({
  label,
  description,
  value,
  onChange,
}: {
  label: string;
  description?: string;
  value: string[];
  onChange: (tags: string[]) => void;
}) {
  const { data = [] } = useQuery(tagsOptions);
  return (
    <TagsInput
      label={label}
      description={description}
      data={data.map(({ tag }) => tag)}
      value={value}
      maxTags={20}
      maxLength={40}
      acceptValueOnBlur
      splitChars={[","]}
      onChange={(tags) => onChange([...new Set(tags.map((tag) => tag.trim().toLowerCase()))])}
    />
  );
}
