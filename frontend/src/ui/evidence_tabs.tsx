import { Stack, Tabs } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import classes from "./evidence_tabs.module.css";

/** A panel of which fewer pixels are in sight is scrolled to when it is opened. */
const IN_SIGHT = 200;

interface EvidenceTabsProps<Name extends string> {
  /** Names the bar. */
  label: string;
  tabs: readonly { value: Name; label: string }[];
  value: Name;
  onChange: (tab: Name) => void;
  /** Shown above the bar: the answer that the tabs are the evidence of. */
  answer: ReactNode;
  /** The panel of the open tab. */
  children: ReactNode;
}

/** Tabs below an answer. What one opens is scrolled to where it lies below the window. */
export function EvidenceTabs<Name extends string>(props: EvidenceTabsProps<Name>) {
  const { label, tabs, value, onChange, answer, children } = props;
  const panels = useRef<HTMLDivElement>(null);
  const chosen = useRef<Name | null>(null);
  const open = (next: string | null) => {
    chosen.current = next as Name;
    onChange(next as Name);
  };
  // How far the page can be scrolled depends on the new panel, so it is drawn first.
  useEffect(() => {
    if (chosen.current !== value) return;
    chosen.current = null;
    const top = panels.current?.getBoundingClientRect().top ?? 0;
    if (top > window.innerHeight - IN_SIGHT) panels.current?.scrollIntoView({ block: "start" });
  }, [value]);
  return (
    <Tabs value={value} onChange={open} keepMounted={false}>
      <Stack gap="lg">
        {answer}
        <Tabs.List aria-label={label}>
          {tabs.map((one) => (
            <Tabs.Tab key={one.value} value={one.value}>
              {one.label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <div ref={panels} className={classes.panels}>
          {tabs.map((one) => (
            <Tabs.Panel key={one.value} value={one.value}>
              {one.value === value && children}
            </Tabs.Panel>
          ))}
        </div>
      </Stack>
    </Tabs>
  );
}
