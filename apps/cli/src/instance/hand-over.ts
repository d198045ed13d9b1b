/**
 * Hands over what the user wants: through the gateway or, where none answers, as the very record that it would have
 * written, so that both ways together ask once. Works with everything down (SPEC K2, L).
 */
import { randomBytes } from "node:crypto";
import type { AttachedFile } from "@mimikit/protocol/base/attachment";
import type { AnswerBy } from "@mimikit/protocol/records/inbox";
import type { TypedLine } from "@mimikit/protocol/wire/slash-command";
import { isAdopted } from "@mimikit/runtime/home/adoption";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { printJson, printLine } from "../io/print.ts";
import { livingRoles, runningText } from "../processes/instance.ts";
import { type Client, clockHere, connect, mayPass } from "./client.ts";
import { writeCommand } from "./write-command.ts";

const KEY_BYTES = 16;

/** The things that can be handed over. */
export type HandOver =
  | { kind: "message"; text: string; mode?: "next"; attachments?: AttachedFile[]; pool?: string }
  | { kind: "steer"; text: string; taskId?: string }
  | { kind: "stop" }
  | { kind: "clear" }
  /** The last message is answered again, by `answerBy`, and in other words where there is a `text`. */
  | { kind: "retry"; text?: string; answerBy?: AnswerBy };

/** The request in a line of the chat. */
export function wantedBy(line: Exclude<TypedLine, { kind: "mistake" | "help" | "attach" }>): HandOver {
  if (line.kind === "next") return { kind: "message", text: line.text, mode: "next" };
  return line;
}

/** The same with files, which only a message can take along. Throws `Failure` (usage). */
export function withFiles(wanted: HandOver, attachments: AttachedFile[]): HandOver {
  if (attachments.length === 0) return wanted;
  if (wanted.kind !== "message") throw new Failure("usage", t("only a message can take files along"));
  return { ...wanted, attachments };
}

/** An idempotency key of its own: whatever is handed over again under it is handed over once. */
export function freshKey(): string {
  return randomBytes(KEY_BYTES).toString("hex");
}

/**
 * Makes the command durable. Throws `Failure` (not running) for a stop where nothing runs.
 * @param key the same key hands it over once.
 * @returns its id, and whether the gateway took it; if not, the supervisor finds it as soon as one runs.
 */
export async function handOver(wanted: HandOver, key = freshKey()): Promise<{ id: string; taken: boolean }> {
  const id = await overHttp(wanted, key);
  if (id !== null) return { id, taken: true };
  // A stop is about this moment: kept for later, it would end what begins then.
  if (wanted.kind === "stop" && livingRoles(currentPlace().home).size === 0)
    throw new Failure("notRunning", t("Mimikit is not running, so there is nothing to stop"));
  if (wanted.kind === "retry" && wanted.text !== undefined)
    throw new Failure("notRunning", t("no gateway answers, and only it knows which message is your last one"));
  const said = wanted.kind === "message" ? { ...wanted, client: clockHere() } : wanted;
  return { id: await writeCommand(currentPlace().home, said, key), taken: false };
}

/** With an answering gateway. @returns the id. @throws Unreachable, Failure. */
function handTo(client: Client, wanted: HandOver, key: string): Promise<string> {
  switch (wanted.kind) {
    case "message":
      return client.send(wanted.text, key, wanted);
    case "steer":
      return client.steer(wanted.text, key, wanted.taskId);
    case "retry":
      return client.retry(key, { text: wanted.text, answerBy: wanted.answerBy });
    case "stop":
    case "clear":
      return client[wanted.kind](key);
  }
}

/** null when there is no gateway; then nothing was asked for, or the same id will be. */
async function overHttp(wanted: HandOver, key: string): Promise<string | null> {
  try {
    return await handTo(connect(), wanted, key);
  } catch (error) {
    if (mayPass(error)) return null;
    throw error;
  }
}

/** Says what became of it. */
export function printHanded({ id, taken }: { id: string; taken: boolean }, json: boolean): void {
  const living = livingRoles(currentPlace().home);
  if (json) printJson({ id, taken, running: [...living.keys()] });
  else if (!isAdopted(currentPlace().home, process.env))
    printLine(t("{id} (saved, and processed after  mimikit adopt )", { id }));
  else printLine(taken ? id : `${id} (${whenTakenUp(living)})`);
}

/** When a record that no gateway accepted is taken up. */
function whenTakenUp(living: ReturnType<typeof livingRoles>): string {
  if (living.size === 0) return t("Mimikit is not running; it will be processed at the next start");
  if (!living.has("supervisor"))
    return t("it will be processed when the supervisor runs again; {running}", { running: runningText(living) });
  return t("no gateway answers, but it will still be processed; {running}", { running: runningText(living) });
}
