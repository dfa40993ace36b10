import { ActionIcon, Menu } from "@mantine/core";
import {
  IconDotsVertical,
  IconFileTypeCsv,
  IconFileTypeSvg,
  IconLink,
  IconMarkdown,
  IconPhoto,
} from "@tabler/icons-react";
import { type RefObject, useState } from "react";
import { useTranslation } from "react-i18next";
import { toCsv } from "./exports/csv";
import { download } from "./exports/download";
import { drawingsIn, legendIn } from "./exports/drawn";
import { toMarkdown } from "./exports/markdown";
import { toPng } from "./exports/png";
import { composeSvg } from "./exports/svg";
import type { ChartTable } from "./types";

interface ChartMenuProps {
  title: string;
  fileName: string;
  link?: string;
  readTable: () => ChartTable;
  /** Where the chart is drawn; holds nothing while its table is shown. */
  legend: RefObject<HTMLDivElement | null>;
  plot: RefObject<HTMLDivElement | null>;
  drawn: boolean;
}

const ICON = 16;

/** Takes a chart along: its address, picture or numbers. */
export function ChartMenu({
  title,
  fileName,
  link,
  readTable,
  legend,
  plot,
  drawn,
}: ChartMenuProps) {
  const { t } = useTranslation("charts");
  const [said, setSaid] = useState("");

  async function tell(done: string, action: () => Promise<void> | void): Promise<void> {
    try {
      await action();
      setSaid(done);
    } catch (error) {
      setSaid(
        t("failed_action", { reason: error instanceof Error ? error.message : String(error) }),
      );
    }
  }

  const copy = (text: string) => tell(t("copied"), () => writeClipboard(text, t("no_clipboard")));
  const save = (extension: string, make: () => Promise<Blob> | Blob) =>
    tell(t("saved", { name: `${fileName}.${extension}` }), async () =>
      download(`${fileName}.${extension}`, await make()),
    );
  const compose = () => {
    if (plot.current === null) throw new Error(t("not_drawn"));
    const entries = legend.current === null ? [] : legendIn(legend.current);
    return composeSvg(title, entries, drawingsIn(plot.current));
  };
  const markdown = () => toMarkdown(title, readTable());

  return (
    <>
      <span aria-live="polite" style={{ fontSize: "var(--mantine-font-size-xs)" }}>
        {said}
      </span>
      <Menu position="bottom-end" onOpen={() => setSaid("")}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t("take_along", { title })}>
            <IconDotsVertical size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconLink size={ICON} />}
            onClick={() => copy(link ?? location.href)}
          >
            {t("copy_link")}
          </Menu.Item>
          <Menu.Item leftSection={<IconMarkdown size={ICON} />} onClick={() => copy(markdown())}>
            {t("copy_markdown")}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            disabled={!drawn}
            leftSection={<IconFileTypeSvg size={ICON} />}
            onClick={() =>
              save("svg", () => new Blob([compose().markup], { type: "image/svg+xml" }))
            }
          >
            {t("save_svg")}
          </Menu.Item>
          <Menu.Item
            disabled={!drawn}
            leftSection={<IconPhoto size={ICON} />}
            onClick={() => save("png", () => toPng(compose()))}
          >
            {t("save_png")}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconFileTypeCsv size={ICON} />}
            onClick={() => save("csv", () => new Blob([toCsv(readTable())], { type: "text/csv" }))}
          >
            {t("save_csv")}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconMarkdown size={ICON} />}
            onClick={() => save("md", () => new Blob([markdown()], { type: "text/markdown" }))}
          >
            {t("save_markdown")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

async function writeClipboard(text: string, missing: string): Promise<void> {
  // Browsers offer it on https and localhost alone.
  if (navigator.clipboard === undefined) throw new Error(missing);
  await navigator.clipboard.writeText(text);
}
