import type { Block, Case, Run, Trial } from "~/queries/runs";

/** Small runs for the tests beside. */
export function aCase(position: number, point: Case["point"], changes: Partial<Case> = {}): Case {
  const key = Object.entries(point).join();
  return {
    id: position + 1,
    position,
    key,
    point,
    once: false,
    status: "pending",
    reason: null,
    fingerprint_id: null,
    placement: null,
    ...changes,
  };
}

export function aBlock(position: number, changes: Partial<Block> = {}): Block {
  return {
    position,
    round: 1,
    modes: {},
    status: "pending",
    reason: null,
    fingerprint_id: null,
    switching_seconds: null,
    preparing_seconds: null,
    cleaning_seconds: null,
    started_at: null,
    ended_at: null,
    ...changes,
  };
}

export function aTrial(id: number, changes: Partial<Trial> = {}): Trial {
  return {
    id,
    case_id: 1,
    round: 1,
    number: id,
    warmup: false,
    attempt: 1,
    status: "counted",
    failure: null,
    warnings: [],
    seconds: 10,
    tool_seconds: 9,
    overhead_seconds: 3,
    limited_by: null,
    started_at: "2026-01-01T00:00:00Z",
    stored_at: "2026-01-01T00:00:12Z",
    ...changes,
  };
}

export function aRun(changes: Partial<Run> = {}): Run {
  return {
    id: "00000000-0000-4000-8000-000000000001",
    experiment_id: null,
    name: "Encapsulation",
    kind: "throughput",
    state: "running",
    outcome: null,
    reason: null,
    attempt: 1,
    clusters: [{ name: "testbed", cluster_id: null, cluster_uid: "u" }],
    progress: { pending: 1, running: 0, succeeded: 0, failed: 0, skipped: 0 },
    queue_position: null,
    cancel_requested_at: null,
    conclude_requested_at: null,
    created_at: "2026-01-01T00:00:00Z",
    queued_at: "2026-01-01T00:00:00Z",
    started_at: "2026-01-01T00:00:10Z",
    finished_at: null,
    labels: {},
    marks: { tags: [], notes: "", version: 1, favourite: false },
    answer: null,
    ...changes,
  };
}
