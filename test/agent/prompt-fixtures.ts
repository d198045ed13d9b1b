/** Runs to make prompts of, and a reader that knows of a prompt only what a model is told about its shape. */
import { createToolBus } from "@mimikit/agent/bus";
import type { Run } from "@mimikit/agent/provider";
import { Steering } from "@mimikit/agent/steering";
import type { Context } from "@mimikit/agent/tools/context";
import { toolsOf } from "@mimikit/agent/tools/index";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import type { Task } from "@mimikit/protocol/records/task";
import { contextOf } from "./fixtures.ts";

export function runOf(task: Task, context: Partial<Context> = {}, attempt = 1): Run {
  const whole = contextOf(context);
  return {
    task,
    attempt,
    context: whole,
    bus: createToolBus({ task, tools: toolsOf(task.role), reads: whole, onCall: () => {} }),
    onToolCall: () => {},
    tell: () => {},
    steering: new Steering(),
    workDir: "/workspace",
    home: "/workspace/.mimikit",
    runDir: "/workspace/run",
    sandbox: "auto",
    environment: {},
    overBudget: () => null,
  };
}

/** `minute` also orders the messages. */
export function saidOf(minute: number, text: string, part: Partial<HistoryMessage> = {}): HistoryMessage {
  const at = new Date(Date.UTC(2026, 10, 22, 0, minute)).toISOString();
  return { id: `h-${minute}`, role: "user", text, at, ...part };
}

/** The sections of a prompt in their order. Throws where something stands between them that is no remark. */
export function readSections(user: string): Map<string, string[]> {
  const sections = new Map<string, string[]>();
  let open: { name: string; lines: string[] } | null = null;
  for (const line of user.replace(/\n$/, "").split("\n")) {
    const name = /^<M:([a-z_]+)>$/.exec(line)?.[1];
    if (open === null) {
      if (name !== undefined) open = { name, lines: [] };
      else if (!line.startsWith("// ")) throw new Error(`between the sections: ${JSON.stringify(line)}`);
    } else if (line === `</M:${open.name}>`) {
      if (sections.has(open.name)) throw new Error(`${open.name} is there twice`);
      sections.set(open.name, open.lines);
      open = null;
    } else if (name !== undefined) throw new Error(`${name} inside ${open.name}`);
    else open.lines.push(line);
  }
  if (open !== null) throw new Error(`${open.name} is not closed`);
  return sections;
}

/** The records of a section: the line each begins with, and the lines below it without their indentation. */
export function readRecords(lines: readonly string[] = []): { head: string; body: string }[] {
  const records: { head: string; body: string[] }[] = [];
  for (const line of lines) {
    if (line.startsWith("- ")) records.push({ head: line, body: [] });
    else if (line === "" || line.startsWith("    ")) records.at(-1)?.body.push(line.slice(4));
    else throw new Error(`no record: ${JSON.stringify(line)}`);
  }
  return records.map(({ head, body }) => ({ head, body: body.join("\n") }));
}
