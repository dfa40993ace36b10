import { useCallback, useMemo, useState } from "react";
import { type Path, readDocument, type SpecDocument, setAt } from "./document";
import { popDraft } from "./drafts";

/** A specification being edited: by its text, or by a form that changes one path at a time. */
export interface Spec {
  text: string;
  document: SpecDocument;
  /** The latest text that could be read: what the form shows while the present one cannot. */
  readable: SpecDocument;
  setText: (text: string) => void;
  edit: Edit;
}

export type Edit = (path: Path, value: unknown) => void;

/** `at` is where it is written (`draftAddress`), for a text that was put aside there. */
export function useSpec(initial: string, at: string): Spec {
  const [text, setText] = useState(() => popDraft(at) ?? initial);
  const document = useMemo(() => readDocument(text), [text]);
  const [readable, setReadable] = useState(() =>
    document.faults.length ? readDocument("") : document,
  );
  if (document.faults.length === 0 && readable !== document) setReadable(document);
  const edit = useCallback<Edit>((path, value) => {
    setText((now) => (readDocument(now).faults.length > 0 ? now : setAt(now, path, value)));
  }, []);
  return { text, document, readable, setText, edit };
}
