/**
 * Two kinds of lines, both JSON. The audit says what was done: each role appends to its own chained file and shows the
 * same line on stdout (SPEC N1). The operations log says how it goes: stdout only. Neither ever stops the process, and
 * neither contains a secret or a character that could fool a terminal.
 */
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import { hasCode } from "@mimikit/store/disk/error-code";
import winston from "winston";
import { readToken } from "../home/home.ts";
import type { ProcessRole } from "../process/role-record.ts";
import { type ChainPosition, CutShort, openAuditChain } from "./audit-chain.ts";

export type LogLevel = "error" | "warn" | "info" | "debug";

export interface Log {
  /** Appends one line for each event to the role's audit file. Never throws: lines that cannot be written are counted and reported. */
  audit(...events: AuditEvent[]): void;
  debug(message: string, meta?: Record<string, unknown>): void;
  info(message: string, meta?: Record<string, unknown>): void;
  warn(message: string, meta?: Record<string, unknown>): void;
  error(message: string, meta?: Record<string, unknown>): void;
  /** Resolves when what was logged has left this process, or after 1 s. Call it before `process.exit`. */
  flush(): Promise<void>;
}

/** The log of a role, which is the one writer of its audit file. */
export interface RoleLog extends Log {
  /** Notes the last audit line as the last one, durably: call it when no other follows. Never throws: what fails is reported. */
  endAudit(): void;
}

const FLUSH_MS_MAX = 1_000;

/** Opens the log of a role. Throws when its audit file cannot be opened or is no regular file. */
export function createLog(home: string, actor: ProcessRole, level: LogLevel): RoleLog {
  const token = readToken(home);
  const redact = createRedaction(token);
  const onProblem = (error: unknown) =>
    log.warn("the audit log is written, but could not be made durable, compressed or removed", { error });
  const audit = openAuditChain({
    home,
    actor,
    token,
    note: (event) => log.audit(event),
    onProblem,
  });
  const operations = winston.createLogger({
    level,
    format: winston.format.printf(({ level, message, meta }) =>
      redact(JSON.stringify({ timestamp: new Date().toISOString(), level, actor, message, meta: plain(meta) })),
    ),
    transports: [new winston.transports.Console({ stderrLevels: [] })],
  });
  ignoreClosedStdout();
  let lost = 0;

  function append(events: readonly AuditEvent[]): void {
    const lineOf = (event: AuditEvent) => (position: ChainPosition) =>
      redact(
        JSON.stringify({
          timestamp: new Date().toISOString(),
          seq: position.seq,
          actor,
          ...event,
          previousHash: position.previousHash,
        }),
      );
    process.stdout.write(`${audit.append(...events.map(lineOf))}\n`);
  }

  /** The chain may have something to say of its own before it: what is lost is told once. */
  function tellLost(): void {
    const lines = lost;
    lost = 0;
    try {
      append([{ event: "audit_lost", detail: { lines } }]);
    } catch (error) {
      lost += lines;
      throw error;
    }
  }

  const log: RoleLog = {
    audit(...events) {
      try {
        if (lost > 0) tellLost();
        append(events);
      } catch (error) {
        const unwritten = events.slice(error instanceof CutShort ? error.written : 0);
        lost += unwritten.length;
        for (const event of unwritten)
          operations.log({ level: "error", message: "an audit line could not be written", meta: { error, event } });
      }
    },
    endAudit() {
      try {
        audit.noteHead();
      } catch (error) {
        onProblem(error);
      }
    },
    debug: (message, meta) => void operations.log({ level: "debug", message, meta }),
    info: (message, meta) => void operations.log({ level: "info", message, meta }),
    warn: (message, meta) => void operations.log({ level: "warn", message, meta }),
    error: (message, meta) => void operations.log({ level: "error", message, meta }),
    flush: () =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, FLUSH_MS_MAX);
        process.stdout.write("", () => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
  return log;
}

const SECRET_NAME = /(^|_)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH)$/i;
/** Shorter values would take ordinary words out of the log. */
const SECRET_CHARS_MIN = 8;
const BEARER = /\b(Bearer\s+)[A-Za-z0-9._~+/-]{8,}=*/gi;
/** Characters that JSON.stringify leaves as they are and a terminal or an editor may obey: C1, bidirectional and line separators. */
const UNPRINTABLE = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Secrets that came after the start. */
const hidden = new Set<string>();

/** Keeps more secrets out of every log of this process from now on, also when they count no more. */
export function hideInLogs(secrets: Iterable<string>): void {
  for (const secret of secrets) if (secret.length >= SECRET_CHARS_MIN) hidden.add(secret);
}

/** Redacts every line of JSON before it goes anywhere. */
function createRedaction(token: string): (json: string) => string {
  const secrets = Object.entries(process.env)
    .filter(([name, value]) => SECRET_NAME.test(name) && (value?.length ?? 0) >= SECRET_CHARS_MIN)
    .map(([, value]) => value ?? "");
  secrets.push(token);
  // As they stand inside JSON; the longest first, so that a part of one does not hide the rest of it.
  const needlesNow = () =>
    [...new Set([...secrets, ...hidden])]
      .map((secret) => JSON.stringify(secret).slice(1, -1))
      .sort((a, b) => b.length - a.length);
  let needles = needlesNow();
  let known = hidden.size;
  return (json) => {
    if (hidden.size !== known) {
      needles = needlesNow();
      known = hidden.size;
    }
    let text = json;
    for (const needle of needles) text = text.replaceAll(needle, "[redacted]");
    return text
      .replace(BEARER, "$1[redacted]")
      .replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  };
}

/** Errors and odd values as something that JSON can say. */
function plain(meta: unknown): unknown {
  const seen = new Set<unknown>();
  const convert = (_key: string, value: unknown): unknown => {
    if (typeof value === "bigint") return String(value);
    if (value instanceof Error)
      return { name: value.name, message: value.message, stack: value.stack, cause: value.cause };
    if (typeof value === "object" && value !== null) {
      if (seen.has(value)) return "[seen above]";
      seen.add(value);
    }
    return value;
  };
  return meta === undefined ? undefined : JSON.parse(JSON.stringify(meta, convert));
}

/** When PM2's daemon dies, the pipe that is our stdout closes. The role still leaves in order (shutdown.ts). */
function ignoreClosedStdout(): void {
  if (process.stdout.listeners("error").includes(onStdoutError)) return;
  process.stdout.on("error", onStdoutError);
}

function onStdoutError(error: Error): void {
  if (!hasCode(error, "EPIPE", "ENOSPC", "EIO")) throw error;
}
