/** The stages of the main job, seen as they come: from names in the state directory, and from what a model is asked. */
import { type FSWatcher, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { Role } from "@mimikit/protocol/base/role";
import { Task } from "@mimikit/protocol/records/task";
import { ARCHIVE, INBOX, queueOf, recordIn, resultsOf, runningOf, TRIGGERS } from "@mimikit/store/disk/state";
import { RAN_FILE } from "../../apps/cli/src/chaos/after-kills.ts";
import { type Part, STEPS } from "./script.ts";

const TASK_STAGES = ["queued", "claimed", "asked 1", "command", "asked 2", "answered", "settled"];

export const STAGES: readonly string[] = [
  "message accepted",
  ...["queued", "claimed", "asked 1", "asked 2", "answered", "settled"].map((stage) => `turn ${stage}`),
  ...["queued", "claimed", "asked 1", "asked 2", "asked 3", "asked 4", "answered", "settled"].map(
    (stage) => `plan ${stage}`,
  ),
  ...STEPS.flatMap((step) => [...(step === "a" ? [] : ["linked"]), ...TASK_STAGES].map((stage) => `${step} ${stage}`)),
  ...["queued", "claimed", "asked 1", "answered", "settled"].map((stage) => `report ${stage}`),
];

export interface Seen {
  stage: string;
  /** The record that shows it; none for a request of a model and for a command. */
  id?: string;
}

/** Tells of each stage when its record appears. @returns what ends it. */
export function watchStages(home: string, workDir: string, onSeen: (seen: Seen) => void): () => void {
  const watchers: FSWatcher[] = [];
  const turns = new Map<string, Part>();
  const known = new Set<string>();
  const see = (dir: string, look: (name: string) => Seen | null) => {
    const watcher = watch(dir, (_, name) => {
      // That a name goes is told like its coming.
      const isKnown = name === null || (name !== RAN_FILE && known.has(join(dir, name)));
      if (isKnown) return;
      known.add(join(dir, name));
      const seen = look(name);
      if (seen !== null) onSeen(seen);
    });
    watchers.push(watcher);
  };
  const partOf = (id: string): Part | null => {
    const depth = id.split(".").length - 1;
    if (!/^t-\d+(\.\d+)*$/.test(id)) return null;
    if (depth === 0) return turns.get(id) ?? null;
    return depth === 1 ? "plan" : depth === 2 ? (STEPS[Number(id.split(".")[2])] ?? null) : null;
  };
  const seeRecords = (dir: string, stage: string, pattern = /^(.+)\.json$/) =>
    see(join(home, dir), (name) => {
      const id = pattern.exec(name)?.[1];
      if (id === undefined) return null;
      if (dir === queueOf("teller")) turns.set(id, turns.get(id) ?? kindOfTurn(home, id));
      const part = partOf(id);
      return part === null ? null : { stage: `${part} ${stage}`, id };
    });
  see(join(home, INBOX), (name) => (/^m-\w+\.json$/.test(name) ? { stage: "message accepted" } : null));
  for (const role of Role.options) {
    seeRecords(queueOf(role), "queued");
    seeRecords(runningOf(role), "claimed", /^(.+)\.a\d+\.json$/);
    seeRecords(resultsOf(role), "answered");
  }
  seeRecords(TRIGGERS, "linked", /^(.+)\.v1\.json$/);
  seeRecords(ARCHIVE, "settled");
  let read = 0;
  see(workDir, (name) => {
    if (name !== RAN_FILE) return null;
    const text = readFileSync(join(workDir, RAN_FILE), "utf8");
    const step = /-([abc])\n$/.exec(text)?.[1];
    if (text.length === read || step === undefined) return null;
    read = text.length;
    return { stage: `${step} command` };
  });
  return () => {
    for (const watcher of watchers) watcher.close();
  };
}

/** A turn that takes up no message reports. One that is gone by now was seen before. */
function kindOfTurn(home: string, id: string): Part {
  try {
    const task = Task.parse(JSON.parse(readFileSync(join(home, recordIn(queueOf("teller"), id)), "utf8")));
    return (task.turn?.messages.length ?? 0) > 0 ? "turn" : "report";
  } catch {
    return "turn";
  }
}
