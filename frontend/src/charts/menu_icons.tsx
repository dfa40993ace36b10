import {
  IconFileTypeCsv,
  IconFileTypeSvg,
  IconLink,
  IconMarkdown,
  IconPhoto,
} from "@tabler/icons-react";

const ICONS = {
  link: IconLink,
  markdown: IconMarkdown,
  svg: IconFileTypeSvg,
  photo: IconPhoto,
  csv: IconFileTypeCsv,
} as const;

export type IconName = keyof typeof ICONS;

/** The icons of a chart's menu. */
export function MenuIcon({ name }: { name: IconName }) {
  const Icon = ICONS[name];
  return <Icon size={16} />;
}
