/** Apart, so that it is loaded where a tooltip is first shown. */
export { Tooltip } from "@mantine/core";
