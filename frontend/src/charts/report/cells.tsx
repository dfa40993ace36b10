import { Box } from "@mantine/core";
import { type ComponentProps, Suspense } from "react";
import { lazyPart } from "~/ui/lazy_part";

/** Cells are seldom what a report has, so they are loaded where it has them. */
const Pairs = lazyPart(() => import("../pair_chart"), "PairChart");
const Heat = lazyPart(() => import("../heat_chart"), "HeatChart");

/** About how high small ones are. */
const LATER = <Box h={240} />;

export function PairCells(props: ComponentProps<typeof Pairs>) {
  return (
    <Suspense fallback={LATER}>
      <Pairs {...props} />
    </Suspense>
  );
}

export function HeatCells(props: ComponentProps<typeof Heat>) {
  return (
    <Suspense fallback={LATER}>
      <Heat {...props} />
    </Suspense>
  );
}
