import { createTheme, type MantineColorsTuple } from "@mantine/core";

// Contrast of at least 4.5 to 1 on both themes' backgrounds where shade 8 (light) and 4 (dark) is text.
const teal: MantineColorsTuple = [
  "#e3f8fb",
  "#d0ebf0",
  "#a3d6e0",
  "#72bfcf",
  "#4cacc0",
  "#34a0b7",
  "#1d8ea6",
  "#0f7a91",
  "#0b6a7f",
  "#02586b",
];

export const theme = createTheme({
  primaryColor: "podmeter",
  colors: { podmeter: teal },
  primaryShade: { light: 8, dark: 7 },
  autoContrast: true,
  respectReducedMotion: true,
  fontFamily:
    '"Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
  defaultRadius: "md",
  cursorType: "pointer",
  // Steps of about a quarter, so that a size says what something is.
  fontSizes: {
    xs: "0.75rem",
    sm: "0.875rem",
    md: "1rem",
    lg: "1.125rem",
    xl: "1.375rem",
  },
  headings: {
    fontWeight: "650",
    textWrap: "balance",
    sizes: {
      h1: { fontSize: "2rem", lineHeight: "1.2" },
      h2: { fontSize: "1.625rem", lineHeight: "1.25" },
      h3: { fontSize: "1.25rem", lineHeight: "1.3" },
      h4: { fontSize: "1.125rem", lineHeight: "1.35" },
      h5: { fontSize: "1rem", lineHeight: "1.4" },
      h6: { fontSize: "0.875rem", lineHeight: "1.4" },
    },
  },
  components: {
    Anchor: { defaultProps: { underline: "hover" } },
    // In the page's own regions, and with nothing in it but its items.
    Menu: { defaultProps: { withinPortal: false, withInitialFocusPlaceholder: false } },
    Tooltip: {
      defaultProps: {
        withArrow: true,
        multiline: true,
        maw: 360,
        events: { hover: true, focus: true, touch: true },
      },
    },
  },
});
