import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { ProblemError } from "~/api/problem";
import { type Experiment, experimentOptions, useReplace } from "~/queries/experiments";
import type { Kind } from "~/queries/kinds";
import { useStart } from "~/queries/runs";
import { draftAddress } from "./drafts";
import { textOf } from "./spec_text";
import { useOnTextChange } from "./use_on_text_change";
import { useSpec } from "./use_spec";
import { rememberedText, rememberText } from "./written_text";

/**
 * A kept experiment being edited. `experiment` is the version that the text is based on: a save
 * says so, and is refused where somebody else has saved since (`theirs`).
 */
export function useSavedExperiment(first: Experiment, kinds: Kind[]) {
  const client = useQueryClient();
  const [experiment, setExperiment] = useState(first);
  const [saved, setSaved] = useState(() => textAsWritten(first, kinds));
  const spec = useSpec(saved, draftAddress(useLocation()));
  const [theirs, setTheirs] = useState<Experiment | null>(null);
  const [mine, setMine] = useState<string | null>(null);
  const replace = useReplace(first.id);
  const start = useStart();
  const [running, setRunning] = useState(false);
  const conflict = isStale(replace.error) || isStale(start.error);
  useOnTextChange(spec.text, () => {
    if (!isStale(replace.error)) replace.reset();
    start.reset();
  });

  /** What is kept now; null where it was refused. */
  async function save(): Promise<Experiment | null> {
    const text = spec.text;
    setTheirs(null);
    try {
      const stored = await replace.mutateAsync({ text, version: experiment.version });
      rememberText(stored.id, stored.version, text);
      setExperiment(stored);
      setSaved(text);
      return stored;
    } catch (error) {
      await showTheirs(error as Error);
      return null;
    }
  }

  /** Where somebody else has saved since, what they did. */
  async function showTheirs(error: Error): Promise<void> {
    if (!isStale(error)) return;
    setTheirs(await client.fetchQuery({ ...experimentOptions(first.id), staleTime: 0 }));
  }

  /**
   * The id of the run that was queued, of what the page shows; undefined where something was in
   * the way.
   */
  async function run(clusterId: string | null, force: boolean): Promise<string | undefined> {
    setRunning(true);
    try {
      const shown = spec.text === saved ? experiment : await save();
      if (shown === null) return undefined;
      const { id, version } = shown;
      return (await start.mutateAsync({ id, version, clusterId, force })).id;
    } catch (error) {
      await showTheirs(error as Error);
      return undefined;
    } finally {
      setRunning(false);
    }
  }

  function settle(now: Experiment) {
    setExperiment(now);
    setSaved(textOf(now, kinds));
    setTheirs(null);
    replace.reset();
    start.reset();
  }

  return {
    spec,
    experiment,
    dirty: spec.text !== saved,
    saving: replace.isPending,
    error: conflict && theirs ? null : replace.error,
    save,
    run,
    starting: running,
    startError: conflict && theirs ? null : start.error,
    theirs,
    keepMine: () => theirs && settle(theirs),
    takeTheirs: () => {
      if (!theirs) return;
      setMine(spec.text);
      spec.setText(textOf(theirs, kinds));
      settle(theirs);
    },
    mine,
    putMineBack: () => {
      if (mine !== null) spec.setText(mine);
      setMine(null);
    },
    dismissMine: () => setMine(null),
  };
}

/** As its author wrote it, where that was here; else as the API has it. */
function textAsWritten(experiment: Experiment, kinds: Kind[]): string {
  return rememberedText(experiment.id, experiment.version) ?? textOf(experiment, kinds);
}

function isStale(error: Error | null): boolean {
  return error instanceof ProblemError && error.status === 412;
}
