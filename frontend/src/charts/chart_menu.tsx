import { IconDotsVertical } from "@tabler/icons-react";
import { type RefObject, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconMenu } from "~/ui/icon_menu";
import { lazyPart } from "~/ui/lazy_part";
import { download } from "./exports/download";
import type { IconName } from "./menu_icons";
import type { ChartTable } from "./types";

interface ChartMenuProps {
  title: string;
  fileName: string;
  link?: string;
  /** What a picture says below: what was compared, where, when, n; the link is added. */
  notes: readonly string[];
  readTable: () => ChartTable;
  /** Where the chart is drawn; holds nothing while its table is shown. */
  legend: RefObject<HTMLDivElement | null>;
  plot: RefObject<HTMLDivElement | null>;
  drawn: boolean;
}

/** Loaded with the first menu that is opened. */
const MenuIcon = lazyPart(() => import("./menu_icons"), "MenuIcon");

const menuIcon = (name: IconName) => (
  <Suspense fallback={<span style={{ width: 16 }} />}>
    <MenuIcon name={name} />
  </Suspense>
);

/** Takes a chart along: its address, picture or numbers. */
export function ChartMenu({
  title,
  fileName,
  link,
  notes,
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

  const copy = (text: string | (() => Promise<string>)) =>
    tell(t("copied"), async () =>
      writeClipboard(typeof text === "string" ? text : await text(), t("no_clipboard")),
    );
  const save = (extension: string, make: () => Promise<Blob> | Blob) =>
    tell(t("saved", { name: `${fileName}.${extension}` }), async () =>
      download(`${fileName}.${extension}`, await make()),
    );
  const picture = async (type: "svg" | "png") => {
    if (plot.current === null) throw new Error(t("not_drawn"));
    const { pictureOf } = await import("./exports/picture");
    const below = [notes.join(" · "), link ?? location.href];
    return await pictureOf(type, title, legend.current, plot.current, below);
  };
  const markdown = async () => (await import("./exports/markdown")).toMarkdown(title, readTable());
  const csv = async () => (await import("./exports/csv")).toCsv(readTable());

  return (
    <>
      <span aria-live="polite" style={{ fontSize: "var(--mantine-font-size-xs)" }}>
        {said}
      </span>
      <IconMenu
        label={t("take_along", { title })}
        icon={<IconDotsVertical size={18} />}
        onOpen={() => setSaid("")}
        choices={[
          {
            label: t("copy_link"),
            icon: menuIcon("link"),
            onClick: () => copy(link ?? location.href),
          },
          {
            label: t("copy_markdown"),
            icon: menuIcon("markdown"),
            onClick: () => copy(markdown),
          },
          {
            label: t("copy_picture"),
            icon: menuIcon("photo"),
            disabled: !drawn,
            onClick: () => tell(t("copied"), () => writePicture(picture("png"), t("no_clipboard"))),
          },
          null,
          {
            label: t("save_svg"),
            icon: menuIcon("svg"),
            disabled: !drawn,
            onClick: () => save("svg", () => picture("svg")),
          },
          {
            label: t("save_png"),
            icon: menuIcon("photo"),
            disabled: !drawn,
            onClick: () => save("png", () => picture("png")),
          },
          {
            label: t("save_csv"),
            icon: menuIcon("csv"),
            onClick: () => save("csv", async () => new Blob([await csv()], { type: "text/csv" })),
          },
          {
            label: t("save_markdown"),
            icon: menuIcon("markdown"),
            onClick: () =>
              save("md", async () => new Blob([await markdown()], { type: "text/markdown" })),
          },
        ]}
      />
    </>
  );
}

async function writeClipboard(text: string, missing: string): Promise<void> {
  // Browsers offer it on https and localhost alone.
  if (navigator.clipboard === undefined) throw new Error(missing);
  await navigator.clipboard.writeText(text);
}

async function writePicture(picture: Promise<Blob>, missing: string): Promise<void> {
  if (navigator.clipboard?.write === undefined) throw new Error(missing);
  // The promise itself: a browser that waits for it first no longer counts the click.
  await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
}
