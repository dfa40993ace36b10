import { ActionIcon, Box, Group, Paper, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import { useFullscreenElement } from "@mantine/hooks";
import { IconMaximize, IconMinimize } from "@tabler/icons-react";
import {
  createContext,
  type ReactNode,
  Suspense,
  useContext,
  useDeferredValue,
  useId,
  useRef,
} from "react";
import { useTranslation } from "react-i18next";
import { unbroken } from "~/i18n/punctuation";
import { lazyPart } from "~/ui/lazy_part";
import classes from "./chart_frame.module.css";
import { ChartMenu } from "./chart_menu";
import { Legend, type LegendEntry } from "./legend";
import { useProvenance } from "./provenance";
import { type ShownAs, useShownAs } from "./shown_as";
import type { ChartTable } from "./types";
import { useChartColors } from "./use_chart_colors";

/** In "Node → Node" no line begins with the arrow. */
const BEFORE_ARROW = /([^\s·（]{1,16} →)/;

/** Loaded for the first chart that is read as a table. */
const DataTable = lazyPart(() => import("./data_table"), "DataTable");

/**
 * Whether a chart is the page's answer. It stands once more among the evidence, and only there it
 * is a region by its name.
 */
export const IsAnswer = createContext(false);

export interface ChartFrameProps {
  title: string;
  /** Names the chart in the page's address, whatever the language; unknown there if not given. */
  name?: string;
  description?: ReactNode;
  /** A function where it is long, so that it is made only when somebody asks for it. */
  table: ChartTable | (() => ChartTable);
  /** Of downloads, without extension. */
  fileName: string;
  /** What "copy link" copies; the page's address if not given. */
  link?: string;
  legend?: readonly LegendEntry[];
  /** Replaces the legend, and shows values as well. */
  readout?: ReactNode;
  /** The least and the most trials that a value rests on. */
  counts?: [number, number] | null;
  /** Beside the toggle of chart and table: scales and the like; only while the chart is shown. */
  controls?: ReactNode;
  children: ReactNode;
}

/**
 * Frame of every chart: title, menu (copy link, SVG, PNG, CSV, Markdown), legend, the table twin.
 * `CurveChart`, `BarChart` and `SeriesChart` stand in one by themselves; only a chart of one's
 * own is put into it, drawn as SVG.
 */
export function ChartFrame(props: ChartFrameProps) {
  const { title, description, table, legend = [], counts, controls, children } = props;
  const { t } = useTranslation("charts");
  const provenance = useProvenance();
  const [asked, setAsked] = useShownAs(props.name);
  // What was pressed is seen at once, and what follows when there is time for it.
  const shown = useDeferredValue(asked);
  const legendBox = useRef<HTMLDivElement>(null);
  const plotBox = useRef<HTMLDivElement>(null);
  const heading = useId();
  const readTable = () => (typeof table === "function" ? table() : table);
  const colors = useChartColors();
  const full = useFullscreenElement<HTMLElement>();
  return (
    <Paper
      ref={full.ref}
      className={classes.frame}
      component={useContext(IsAnswer) ? "figure" : "section"}
      m={0}
      aria-labelledby={heading}
      withBorder
      p={{ base: "sm", sm: "md" }}
      style={{
        ...colors,
        background: "var(--chart-ground)",
        // Beside another chart a table would have no room for its columns.
        gridColumn: shown === "table" ? "1 / -1" : undefined,
      }}
    >
      <Stack gap="xs">
        <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
          <Box style={{ minWidth: 0 }}>
            <Title order={3} size="h5" id={heading}>
              {title.split(BEFORE_ARROW).map((part, place) =>
                place % 2 === 0 ? (
                  part
                ) : (
                  <span key={place} style={{ whiteSpace: "nowrap" }}>
                    {part}
                  </span>
                ),
              )}
            </Title>
            {description && (
              <Text size="sm" c="dimmed" component="div">
                {typeof description === "string" ? unbroken(description) : description}
              </Text>
            )}
          </Box>
          <Group gap={4} wrap="nowrap" justify="flex-end" className="on-screen">
            {document.fullscreenEnabled && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t(full.fullscreen ? "leave_full_screen" : "full_screen", { title })}
                onClick={() => void full.toggle()}
              >
                {full.fullscreen ? <IconMinimize size={18} /> : <IconMaximize size={18} />}
              </ActionIcon>
            )}
            <ChartMenu
              title={title}
              fileName={props.fileName}
              link={props.link}
              notes={[
                ...provenance,
                ...(counts ? [t("n", { n: [...new Set(counts)].join("–") })] : []),
              ]}
              readTable={readTable}
              legend={legendBox}
              plot={plotBox}
              drawn={shown === "chart"}
            />
          </Group>
        </Group>
        <Group gap="xs" className="on-screen">
          <SegmentedControl
            size="xs"
            aria-label={t("shown_as", { title })}
            value={asked}
            onChange={(value) => setAsked(value as ShownAs)}
            data={[
              { value: "chart", label: t("chart") },
              { value: "table", label: t("table") },
            ]}
          />
          {shown === "chart" && controls}
        </Group>
        {shown === "table" ? (
          <Suspense>
            <DataTable caption={t("table_of", { title })} table={readTable()} />
          </Suspense>
        ) : (
          <>
            <div ref={legendBox} className={classes.legend}>
              {props.readout ?? <Legend entries={legend} />}
            </div>
            <Box ref={plotBox} style={{ minWidth: 0 }}>
              {children}
            </Box>
          </>
        )}
      </Stack>
    </Paper>
  );
}
