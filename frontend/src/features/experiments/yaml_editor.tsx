import { yaml } from "@codemirror/lang-yaml";
import { linter, lintGutter, setDiagnostics } from "@codemirror/lint";
import { useComputedColorScheme } from "@mantine/core";
import CodeMirror, { EditorView } from "@uiw/react-codemirror";
import { useEffect, useMemo, useState } from "react";
import type { TextFault } from "./document";

/** One-dark's comments have too little contrast on its own background. */
const DARKER = EditorView.theme({
  "&, .cm-gutters": { backgroundColor: "#141414 !important" },
  ".cm-lineNumbers": { color: "#909296" },
});
const MONOSPACE = EditorView.theme({
  "&": { fontSize: "0.8125rem" },
  "&.cm-focused": { outline: "2px solid var(--mantine-primary-color-filled)" },
  ".cm-scroller": { fontFamily: "var(--mantine-font-family-monospace)" },
});

interface YamlEditorProps {
  label: string;
  /** Id of what says how to use it. */
  describedBy: string;
  text: string;
  faults: readonly TextFault[];
  onChange: (text: string) => void;
}

/** The text itself. Tab leaves it, as it leaves every field; faults are underlined where they are. */
export function YamlEditor({ label, describedBy, text, faults, onChange }: YamlEditorProps) {
  const scheme = useComputedColorScheme("light");
  const [view, setView] = useState<EditorView | null>(null);
  const extensions = useMemo(
    () => [
      yaml(),
      // No source of its own: it keeps the diagnostics set below when extensions change.
      linter(null),
      lintGutter(),
      EditorView.lineWrapping,
      MONOSPACE,
      ...(scheme === "dark" ? [DARKER] : []),
      EditorView.contentAttributes.of({
        "aria-label": label,
        "aria-describedby": describedBy,
      }),
    ],
    [label, describedBy, scheme],
  );
  useEffect(() => {
    if (view === null) return;
    const end = view.state.doc.length;
    const diagnostics = faults.map(({ from, to, message }) => ({
      from: Math.min(from, end),
      to: Math.min(to, end),
      severity: "error" as const,
      message,
    }));
    view.dispatch(setDiagnostics(view.state, diagnostics));
  }, [view, faults]);
  return (
    <CodeMirror
      value={text}
      theme={scheme}
      minHeight="20rem"
      maxHeight="70vh"
      indentWithTab={false}
      basicSetup={{ autocompletion: false, foldGutter: false }}
      extensions={extensions}
      onChange={onChange}
      onCreateEditor={setView}
    />
  );
}
