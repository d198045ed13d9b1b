/** Replays the state at a moment from the audit log: open tasks, open questions, triggers, and running processes. */
import { KINDS } from "@mimikit/protocol/base/kind";
import type { AuditLine } from "@mimikit/protocol/records/audit";
import type { CoreRole } from "@mimikit/runtime/process/role-record";

export interface ReplayedTask {
  id: string;
  state: "waiting" | "queued" | "running" | "ended";
  /** Since when it was in this state. */
  since: string;
  /** How it ended, by the name of the event. */
  outcome?: string;
  attempts: number;
  role?: string;
  title?: string;
}

type ProcessState = "up" | "down" | "unknown";

export interface Replayed {
  at: string;
  /** Lines of the log up to then; its last one. */
  lines: number;
  last: { timestamp: string; event: string } | null;
  /** Whether each process had said that it started and not that it stopped. One that was killed says nothing. */
  processes: Record<CoreRole, ProcessState> & { channels?: ProcessState; dispatcher?: ProcessState };
  /** Tasks that were not applied yet, the oldest first. */
  tasks: ReplayedTask[];
  /** Questions that were open, by id. */
  questions: string[];
  /** Triggers that stood, as far as they were made since the log begins. */
  triggers: string[];
  /** Messages that were accepted, by id, in order. */
  accepted: string[];
  /** Turns that were applied, by id, in order. */
  turns: string[];
}

const QUEUED = new Set<string>(["task_fired", ...Object.values(KINDS).map(({ queued }) => queued)]);
const TRIED_AGAIN = new Set(["task_retry", "task_unreached", "task_cut_off"]);
const ENDED = new Set(["task_done", "task_failed", "task_needs_input", "task_ended"]);
/** `turn_settled`, `roll_up_settled` and so on, whatever kind of task it was. */
const SETTLED = /_settled$/;

/** @param lines in order of time; those after `at` do not count. */
export function replay(lines: readonly AuditLine[], at: string): Replayed {
  const tasks = new Map<string, ReplayedTask>();
  const questions = new Set<string>();
  const triggers = new Set<string>();
  const accepted = new Set<string>();
  const turns: string[] = [];
  const processes: Replayed["processes"] = { supervisor: "unknown", workers: "unknown", gateway: "unknown" };
  const past = lines.filter(({ timestamp }) => timestamp <= at);

  for (const line of past) {
    const { event, taskId: id, timestamp, attempts, detail } = line;
    if (event === `${line.actor}_started`) processes[line.actor] = "up";
    else if (event === `${line.actor}_stopped`) processes[line.actor] = "down";
    if (event === "message_accepted" || event === "message_made") accepted.add(String(detail?.id));
    if (event === "wish_adopted" && detail?.kind === "message") accepted.add(String(detail.id));
    if (id === undefined) continue;

    const known = tasks.get(id);
    const move = (state: ReplayedTask["state"], outcome?: string) => {
      const role = textIn(detail, "role") ?? known?.role ?? (event === KINDS.turn.queued ? KINDS.turn.role : undefined);
      const title = textIn(detail, "title") ?? known?.title;
      tasks.set(id, {
        id,
        state,
        since: timestamp,
        attempts: attempts ?? known?.attempts ?? 0,
        ...(outcome !== undefined && { outcome }),
        ...(role !== undefined && { role }),
        ...(title !== undefined && { title }),
      });
    };
    // The chains of two processes are joined by their clocks: what has ended does not begin again by a line that is late.
    if (event === "task_waiting") move("waiting");
    else if (QUEUED.has(event) && (known === undefined || known.state === "waiting")) move("queued");
    else if (TRIED_AGAIN.has(event)) move("queued");
    else if (event === "task_started") move("running");
    else if (SETTLED.test(event) || event === "task_cancelled" || line.failureReason === "cancelled") tasks.delete(id);
    else if (ENDED.has(event)) move("ended", event);

    if (event === KINDS.turn.settled) turns.push(id);
    if (event === "question_asked") questions.add(id);
    else if (event.startsWith("question_")) questions.delete(id);
    if (event === "trigger_created") triggers.add(id);
    else if (event.startsWith("trigger_") && event !== "trigger_advanced") triggers.delete(id);
  }
  const last = past.at(-1);
  return {
    at,
    lines: past.length,
    last: last === undefined ? null : { timestamp: last.timestamp, event: last.event },
    processes,
    tasks: [...tasks.values()],
    questions: [...questions],
    triggers: [...triggers],
    accepted: [...accepted],
    turns,
  };
}

function textIn(detail: AuditLine["detail"], key: string): string | undefined {
  const value = detail?.[key];
  return typeof value === "string" ? value : undefined;
}
