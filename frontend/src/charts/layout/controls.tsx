import { Box, Group, Stack } from "@mantine/core";
import { lazy, Suspense } from "react";
import { FIELDS_HEIGHT } from "~/ui/fields_height";
import type { ControlsProps } from "./control_fields";
import { NARROW, placesOf, WIDE } from "./places";

/** Which metric is drawn, and where its axes go. */
export function Controls(props: ControlsProps) {
  return (
    <Suspense fallback={<Room {...props} />}>
      <ControlFields {...props} />
    </Suspense>
  );
}

/** Charts can be read without: loaded after them. */
const ControlFields = lazy(async () => ({
  default: (await import("./control_fields")).ControlFields,
}));

/** As much as the fields take, so that nothing moves when they come. */
function Room({ axes, layout, view }: ControlsProps) {
  const { free, tellable } = placesOf(axes, layout, view);
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Box h={FIELDS_HEIGHT} style={{ flex: WIDE }} />
        {axes.size > 0 && <Box h={FIELDS_HEIGHT} style={{ flex: NARROW }} />}
        {free.length > 0 && <Box h={FIELDS_HEIGHT} style={{ flex: NARROW }} />}
      </Group>
      {tellable.length > 1 && <Box h={FIELDS_HEIGHT} />}
    </Stack>
  );
}
