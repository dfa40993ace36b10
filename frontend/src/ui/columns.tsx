import type { ReactNode } from "react";
import classes from "./columns.module.css";

/** Two columns from a width of the window on, if there are `several` things to put beside each other. */
export function Columns({
  from = "lg",
  several = true,
  children,
}: {
  from?: "lg" | "xl";
  several?: boolean;
  children: ReactNode;
}) {
  return <div className={`${classes.columns} ${several ? classes[from] : ""}`}>{children}</div>;
}
