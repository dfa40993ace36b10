import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { yaml } from "@codemirror/lang-yaml";
import { linter, lintGutter, setDiagnostics } from "@codemirror/lint";
import { useComputedColorScheme } from "@mantine/core";
import CodeMirror, { EditorView, hoverTooltip, type Tooltip } from "@uiw/react-codemirror";
import { useEffect, useMemo, useState } from "react";
import type { TextFault } from "./document";
import { aboutAt, offersAt, type Vocabulary } from "./yaml_words";

/** One-dark's comments have too little contrast on its own background. */
const DARKER = EditorView.theme({
  "&, .cm-gutters": { backgroundColor: "#141414 !important" },
  ".cm-lineNumbers": { color: "#909296" },
});
const MONOSPACE = EditorView.theme({
  "&": { fontSize: "0.8125rem" },
  "&.cm-focused": { outline: "2px solid var(--mantine-primary-color-filled)" },
  ".cm-tooltip": { maxWidth: "24rem", overflowWrap: "anywhere" },
  ".cm-tooltip.cm-about": { padding: "4px 8px" },
  ".cm-scroller": { fontFamily: "var(--mantine-font-family-monospace)" },
});

interface YamlEditorProps {
  label: string;
  /** Id of what says how to use it. */
  describedBy: string;
  text: string;
  faults: readonly TextFault[];
  vocabulary: Vocabulary;
  onChange: (text: string) => void;
}

/**
 * The text itself. Tab leaves it, as it leaves every field; faults are underlined where they are,
 * what can be written is offered, and a key's meaning is shown under the pointer.
 */
export function YamlEditor({
  label,
  describedBy,
  text,
  faults,
  vocabulary,
  onChange,
}: YamlEditorProps) {
  const scheme = useComputedColorScheme("light");
  const [view, setView] = useState<EditorView | null>(null);
  const extensions = useMemo(
    () => [
      yaml(),
      // No source of its own: it keeps the diagnostics set below when extensions change.
      linter(null),
      autocompletion({ override: [(context) => completion(context, vocabulary)] }),
      hoverTooltip((shown, at) => explanation(shown.state.doc.toString(), at, vocabulary)),
      lintGutter(),
      EditorView.lineWrapping,
      MONOSPACE,
      ...(scheme === "dark" ? [DARKER] : []),
      EditorView.contentAttributes.of({
        "aria-label": label,
        "aria-describedby": describedBy,
      }),
    ],
    [label, describedBy, scheme, vocabulary],
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

function completion(
  { state, pos, explicit }: CompletionContext,
  vocabulary: Vocabulary,
): CompletionResult | null {
  const found = offersAt(state.doc.toString(), pos, vocabulary);
  // Unasked for only while a word is being written.
  if (found === null || (!explicit && found.from === pos)) return null;
  return {
    from: found.from,
    options: found.offers.map(({ text, apply, about }) => ({ label: text, apply, info: about })),
    validFor: /^[\w./-]*$/,
  };
}

function explanation(text: string, at: number, vocabulary: Vocabulary): Tooltip | null {
  const found = aboutAt(text, at, vocabulary);
  if (found === null) return null;
  return {
    pos: found.from,
    end: found.to,
    above: true,
    create: () => {
      const dom = document.createElement("div");
      dom.className = "cm-about";
      dom.textContent = found.about;
      return { dom };
    },
  };
}
