import { SegmentedControl } from "@mantine/core";
import { memo, useState } from "react";
import { useTranslation } from "react-i18next";
import {
  figureOf,
  type Row,
  type Summary,
  summariesOf,
  UNKNOWN_LIMIT,
  warningsOf,
} from "~/api/rows";
import type { RunReport, Unit } from "~/api/types";
import { parted } from "~/i18n/punctuation";
import { useWords } from "~/i18n/words";
import { usePointText } from "~/ui/point_text";
import { Section } from "~/ui/section";
import { Table } from "~/ui/table";
import { WideTable } from "~/ui/wide_table";
import { CELL, NUMBER_CELL } from "../cell_style";
import { intervalText, valueText } from "../figure_text";
import { Pager, usePages } from "../pages";
import { axesOf, caseOf } from "./entries";
import { useTexts } from "./use_texts";

interface SummaryTableProps {
  report: RunReport;
  metric: string;
  caseHref?: (caseId: number) => string;
}

const COLUMNS = [
  "case",
  "metric",
  "median",
  "interval",
  "mean",
  "n",
  "limited_by",
  "warnings",
] as const;
const NUMERIC: readonly string[] = ["median", "interval", "mean", "n"];
/** Quantiles are not shown here, so neither is that they could not be told. */
const QUANTILES = "quantile_beyond_trials";
const toldOf = (median: Row) => warningsOf(median).filter(({ code }) => code !== QUANTILES);

/** Every summary in numbers: of the metric that is drawn, or of all. */
export const SummaryTable = memo(function SummaryTable(props: SummaryTableProps) {
  const { report, metric, caseHref } = props;
  const { t } = useTranslation("charts");
  const word = useWords();
  const pointText = usePointText();
  const texts = useTexts();
  const [of, setOf] = useState<"metric" | "all">("metric");
  const rows = summariesOf(report.summaries).filter(
    ({ median }) => of === "all" || median.key.metric === metric,
  );
  const pages = usePages(rows);
  const keys = rows.map(({ median }) => median.key);
  // Of one metric with one subject, its name stands above the table already.
  const named = of === "all" || keys.some(({ subject }) => subject !== "");
  const warned = rows.some(({ median }) => toldOf(median).length > 0);
  const limits = limitsBy(report);
  const without = [
    ...(named ? [] : ["metric"]),
    ...(limits.size > 0 ? [] : ["limited_by"]),
    ...(warned ? [] : ["warnings"]),
  ];
  const columns = COLUMNS.filter((column) => !without.includes(column));
  const axes = axesOf(report);
  const metricText = ({ key }: Row) =>
    key.subject === ""
      ? word("metric", key.metric)
      : `${word("metric", key.metric)} · ${word("axis_value", key.subject)}`;
  const [first] = keys;
  const differing = axes.filter((axis) =>
    keys.some(({ point }) => point[axis] !== first?.point[axis]),
  );
  const common = axes.filter((axis) => !differing.includes(axis));
  const shared = first === undefined ? "" : pointText(first.point, common);
  return (
    <Section
      title={t("summaries")}
      text={
        differing.length > 0 && shared !== "" ? t("in_all_cases", { point: shared }) : undefined
      }
      more={
        <SegmentedControl
          size="xs"
          className="on-screen"
          aria-label={t("summaries_of")}
          value={of}
          onChange={(value) => setOf(value as typeof of)}
          data={[
            { value: "metric", label: word("metric", metric) },
            { value: "all", label: t("all_metrics") },
          ]}
        />
      }
    >
      <WideTable caption={t("summaries_scroll")} captionHidden minWidth={720}>
        <Table.Head
          columns={columns.map((column) => ({
            label: t(`column.${column}`),
            ta: NUMERIC.includes(column) ? "right" : undefined,
          }))}
        />
        <Table.Tbody>
          {pages.shown.map((one) => {
            const { median } = one;
            const { metric, subject, point } = median.key;
            return (
              <SummaryRow
                key={`${caseOf(median)} ${metric} ${subject}`}
                summary={one}
                name={pointText(point, differing.length > 0 ? differing : axes)}
                href={caseHref?.(caseOf(median))}
                metric={named ? metricText(median) : null}
                limit={
                  limits.size > 0
                    ? word("limited_by", limits.get(caseOf(median)) ?? UNKNOWN_LIMIT)
                    : null
                }
                warnings={warned ? parted(toldOf(median).map(texts.note)) : null}
              />
            );
          })}
        </Table.Tbody>
      </WideTable>
      <Pager pages={pages} />
    </Section>
  );
});

/** What limited the cases, by their ids; none where it is known of no case. */
function limitsBy(report: RunReport): Map<number, string> {
  const known = report.cases.flatMap(({ case_id, limited_by }): [number, string][] =>
    limited_by == null || limited_by === UNKNOWN_LIMIT ? [] : [[case_id, limited_by]],
  );
  return new Map(known);
}

interface SummaryRowProps {
  summary: Summary;
  name: string;
  href?: string;
  /** The metric in words; null where it has no column. */
  metric: string | null;
  /** What limited most trials of the case; null where it is known of no case. */
  limit: string | null;
  /** Null where no row has any. */
  warnings: string | null;
}

/** Gets its words ready-made: a hundred rows that each look them up are felt. */
function SummaryRow({ summary, name, href, metric, limit, warnings }: SummaryRowProps) {
  const [median, mean] = [figureOf(summary.median), figureOf(summary.mean)];
  const unit = summary.median.key.unit as Unit;
  return (
    <tr>
      <th scope="row" style={CASE}>
        {href === undefined ? (
          name
        ) : (
          <a href={href} style={{ color: "var(--mantine-color-anchor)" }}>
            {name}
          </a>
        )}
      </th>
      {metric !== null && <td style={CELL}>{metric}</td>}
      <td style={NUMBER_CELL}>{median === null ? "–" : valueText(median, unit)}</td>
      <td style={NUMBER_CELL}>{(median && intervalText(median, unit)) ?? "–"}</td>
      <td style={NUMBER_CELL}>{mean === null ? "–" : valueText(mean, unit)}</td>
      <td style={NUMBER_CELL}>{summary.median.n}</td>
      {limit !== null && <td style={CELL}>{limit}</td>}
      {warnings !== null && <td style={CELL}>{warnings}</td>}
    </tr>
  );
}

const CASE = { ...CELL, minWidth: 220 };
