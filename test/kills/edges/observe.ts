/** Reads what became of the jobs: from the state directory, the audit log, the workspace and the servers outside. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { turnNumber } from "@mimikit/protocol/base/id";
import { BegunSend, EndedSend } from "@mimikit/protocol/channels/records";
import { EndedDelivery, HookDelivery } from "@mimikit/protocol/records/hook";
import { readWholeTrail } from "@mimikit/runtime/audit/audit-trail";
import type { HomePlace } from "@mimikit/runtime/home/home";
import { withState } from "../../../apps/cli/src/instance/state.ts";
import type { Asked, Delivery, Observed, Send, Turn, Work } from "./check.ts";
import { ALLOWED_FILE, HOOK_FILE } from "./jobs.ts";

/** Where the MCP server notes its calls, in the workspace. */
export const CALLS_FILE = "calls.txt";

type OnDisk = Pick<
  Observed,
  "turns" | "works" | "asked" | "allowed" | "called" | "deliveries" | "commands" | "sends" | "audit" | "files"
>;

/** While the instance runs, it is not of one instant. Throws what the disk throws. */
export async function observe(place: HomePlace): Promise<OnDisk> {
  const { home, workDir } = place;
  const records = await withState(async ({ cache: { archiveIndex } }) => {
    const turns: Turn[] = [];
    const works: Work[] = [];
    const asked: Asked[] = [];
    for (const id of archiveIndex.names()) {
      const record = await archiveIndex.read(id);
      if (record === null) continue;
      if (!("task" in record)) {
        if (record.kind === "question" && record.question.purpose.type === "approve")
          asked.push({ id, taskId: record.question.purpose.taskId, answer: record.answer });
        continue;
      }
      const { task, effects, result, status } = record;
      if (turnNumber(id) > 0) {
        const said = task.turn?.messages ?? [];
        const replies = effects.flatMap((effect) => (effect.type === "reply" ? [effect.text] : []));
        turns.push({
          id,
          reply: replies.length === 0 ? null : replies.join("\n"),
          messages: said.map(({ id: message, text, via, attachments = [] }) => ({
            id: message,
            text,
            files: attachments.map((file) => file.id),
            ...(via !== undefined && { via: via.channel }),
          })),
        });
      } else if (task.kind === "work") {
        const text = status === "done" ? ((result as { text?: string } | null)?.text ?? "") : null;
        const { triggerId } = task;
        works.push({ id, title: task.title, text, ...(triggerId !== undefined && { triggerId }) });
      }
    }
    return { turns, works, asked };
  }, place);
  const audit = readWholeTrail(home).flatMap(({ event, detail }) =>
    event.startsWith("hook_")
      ? [{ event, delivery: String((detail as { delivery?: string } | undefined)?.delivery) }]
      : [],
  );
  return {
    ...records,
    allowed: linesIn(join(workDir, ALLOWED_FILE)),
    called: linesIn(join(workDir, CALLS_FILE)),
    commands: linesIn(join(workDir, HOOK_FILE)),
    deliveries: deliveriesIn(join(home, "deliveries")),
    sends: sendsIn(join(home, "channels/telegram/sends")),
    audit,
    files: filesIn(join(home, "attachments")),
  };
}

function deliveriesIn(dir: string): Delivery[] {
  return namesIn(dir).flatMap((name) => {
    if (!/^d-[0-9a-f]+\.json$/.test(name)) return [];
    const { id, hook, event } = HookDelivery.parse(JSON.parse(readFileSync(join(dir, name), "utf8")));
    const path = join(dir, `${id}.ended.json`);
    const ended = existsSync(path) ? EndedDelivery.parse(JSON.parse(readFileSync(path, "utf8"))) : null;
    return [
      {
        id,
        hook,
        event: event.type,
        of: event.data.id,
        ended: ended === null ? null : { outcome: ended.outcome, atMs: Date.parse(ended.at) },
      },
    ];
  });
}

function sendsIn(dir: string): Send[] {
  const sends = new Map<string, Send>();
  for (const name of namesIn(dir)) {
    const isEnd = name.endsWith(".end.json");
    if (!isEnd && !/\.b\d+\.json$/.test(name)) continue;
    let text: string;
    try {
      text = readFileSync(join(dir, name), "utf8");
    } catch (error) {
      // A try that was surely in vain is taken back.
      if (error instanceof Error && "code" in error && error.code === "ENOENT") continue;
      throw error;
    }
    const record = (isEnd ? EndedSend : BegunSend).parse(JSON.parse(text));
    const send = sends.get(record.id) ?? { id: record.id, of: record.of, begun: 0, ended: null };
    if ("outcome" in record) send.ended = { outcome: record.outcome, atMs: Date.parse(record.at) };
    else send.begun++;
    sends.set(record.id, send);
  }
  return [...sends.values()];
}

function filesIn(dir: string): Map<string, string> {
  const names = namesIn(dir).filter((name) => /^[0-9a-f]{64}$/.test(name));
  return new Map(
    names.map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(dir, name)))
        .digest("hex"),
    ]),
  );
}

const namesIn = (dir: string) => (existsSync(dir) ? readdirSync(dir) : []);

function linesIn(path: string): string[] {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
}
