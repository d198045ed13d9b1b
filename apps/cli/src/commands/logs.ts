/** Shows what the three processes said, oldest first, and goes on as they speak. */
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { auditFile } from "@mimikit/runtime/audit/audit-files";
import { ACTORS } from "@mimikit/runtime/process/role-record";
import { hasCode } from "@mimikit/store/disk/error-code";
import { command } from "../arguments/command.ts";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace, pm2Home } from "../io/place.ts";
import { plainLine, printJson, printLine } from "../io/print.ts";
import { logLineText } from "../terminal/log-line.ts";

const LINES_DEFAULT = 50;
const LINES_MAX = 10_000;
const TAIL_BYTES_MAX = 4_194_304;
const POLL_MS = 300;

export const logs = command({
  usage: "logs",
  summary: "show the log of the processes",
  examples: [
    ["mimikit logs -f", "and new lines as they come, until Ctrl-C"],
    ["mimikit logs -n 200 --json", "the last 200 lines as one JSON document"],
  ],
  options: (yargs) =>
    yargs
      .option("lines", {
        alias: "n",
        type: "number",
        default: LINES_DEFAULT,
        describe: t("how many, at most {max}", { max: LINES_MAX }),
      })
      .option("follow", {
        alias: "f",
        type: "boolean",
        default: false,
        describe: "print new lines as they come; with --json one document a line",
      }),
  async run({ json, lines, follow }) {
    const { home } = currentPlace();
    const tails = logFiles(home).map((path) => new Tail(path));
    if (tails.length === 0)
      throw new Failure("failed", t("nothing was logged yet in {home}:  mimikit up  starts it", { home }));
    const count = Math.min(LINES_MAX, Math.max(0, Math.floor(lines)));
    const found = count === 0 ? [] : inOrder(tails.flatMap((tail) => tail.read())).slice(-count);
    if (json && !follow) {
      printJson(found.map(({ value, text }) => value ?? text));
      return;
    }
    for (const line of found) show(line, json);
    while (follow) {
      await wait(POLL_MS);
      for (const line of inOrder(tails.flatMap((tail) => tail.read()))) show(line, json);
    }
  },
});

/** PM2's logs of stdout and stderr, which have everything; without them, the audit files, which have the events. */
function logFiles(home: string): string[] {
  const dir = join(pm2Home(home), "logs");
  const written = existsSync(dir) ? readdirSync(dir).filter((name) => /^mimikit-.+\.log$/.test(name)) : [];
  if (written.length > 0) return written.map((name) => join(dir, name));
  return ACTORS.map((role) => join(home, auditFile(role))).filter((path) => existsSync(path));
}

interface Line {
  text: string;
  value: Record<string, unknown> | null;
  at: string;
}

/** The end of a file that grows: each read returns the whole lines that are new. A file that shrank is read anew. */
class Tail {
  private readonly path: string;
  private position: number | undefined;
  private rest = "";
  private lastAt = "";

  constructor(path: string) {
    this.path = path;
  }

  read(): Line[] {
    let file: number;
    try {
      file = openSync(this.path, "r");
    } catch (error) {
      if (hasCode(error, "ENOENT")) return [];
      throw error;
    }
    try {
      const { size } = fstatSync(file);
      if (this.position === undefined || size < this.position) {
        this.position = Math.max(0, size - TAIL_BYTES_MAX);
        this.rest = "";
      }
      const bytes = Buffer.alloc(Math.min(size - this.position, TAIL_BYTES_MAX));
      this.position += readSync(file, bytes, 0, bytes.length, this.position);
      const lines = (this.rest + bytes.toString("utf8")).split("\n");
      this.rest = lines.pop() ?? "";
      return lines.filter((text) => text.trim() !== "").map((text) => this.parse(text));
    } finally {
      closeSync(file);
    }
  }

  /** A line that is not ours (a stack on stderr) belongs to the time of the line before. */
  private parse(text: string): Line {
    const value = objectOf(text);
    if (typeof value?.timestamp === "string") this.lastAt = value.timestamp;
    return { text, value, at: this.lastAt };
  }
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    // Not a line of ours; it is shown as it is.
    return null;
  }
}

function inOrder(lines: Line[]): Line[] {
  return lines.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function show({ text, value }: Line, json: boolean): void {
  if (json) printLine(text);
  else printLine(value === null ? plainLine(text) : logLineText(value));
}
