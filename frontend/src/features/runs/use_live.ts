import { type QueryClient, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ProblemError } from "~/api/problem";
import { type RunDetail, runKeys } from "~/queries/runs";
import { type LiveStatus, LiveStream } from "./live";
import { Refresher } from "./refresher";

/**
 * Keeps what is shown of a run up to date by its events: one stream for as long as an attempt
 * continues, none for a finished run. `over` if there is nothing to see, by the server's word or because
 * the page itself deletes it.
 */
export function useLive(
  runId: string,
  run: RunDetail | undefined,
  over: boolean,
): LiveStatus | null {
  const client = useQueryClient();
  const [status, setStatus] = useState<LiveStatus | null>(null);
  const [attempt, setAttempt] = useState<number | null>(null);
  // Kept when the run has finished: the stream itself says when there is nothing more to read.
  if (run && run.state !== "finished" && run.attempt !== attempt) setAttempt(run.attempt);

  useEffect(() => {
    if (attempt === null || over) return;
    const refresher = new Refresher((part) => readAgain(client, runKeys.part(runId, part)));
    const stream = new LiveStream({
      open: () => new EventSource(`/api/v1/runs/${runId}/events`),
      onStatus: setStatus,
      onTouched: (part) => refresher.touch(part),
      readAll: () => readAll(client, runId),
    });
    setStatus("connecting");
    stream.start();
    return () => {
      stream.stop();
      refresher.stop();
      setStatus(null);
    };
  }, [client, runId, attempt, over]);

  return status;
}

/** Whether the server was reached; a problem is an answer too. */
async function readAll(client: QueryClient, runId: string): Promise<boolean> {
  void client.invalidateQueries({ queryKey: runKeys.lists() });
  try {
    await readAgain(client, runKeys.one(runId));
    return true;
  } catch (error) {
    return error instanceof ProblemError;
  }
}

/** A first reading that is in progress is not started again, so it may be older than this moment. */
async function readAgain(client: QueryClient, queryKey: QueryKey): Promise<void> {
  const again = () => client.invalidateQueries({ queryKey }, { throwOnError: true });
  const early = client
    .getQueryCache()
    .findAll({ queryKey, fetchStatus: "fetching" })
    .some((query) => query.state.data === undefined);
  await again();
  if (early) await again();
}
