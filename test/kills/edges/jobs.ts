/** The jobs that are given at the edges, and a scripted model that does each of them. A job is known by its mark. */
import { CALLS_PER_ROUND_MAX } from "../../../packages/agent/src/kernel/limits.ts";
import { call, section } from "../../support/main-job.ts";
import type { ModelRequest, Script, Step } from "../../support/model-server.ts";

export const EDGES = ["page", "telegram", "v1", "hook"] as const;
export type Edge = (typeof EDGES)[number];

/**
 * `talk` is answered by the Teller. `file` reads the attached file. `mcp` calls a tool that only reads, `write` one that
 * asks first. `allow` and `refuse` want a command that asks; they are told yes and no.
 */
export const KINDS = ["talk", "file", "mcp", "write", "allow", "refuse"] as const;
export type Kind = (typeof KINDS)[number];

/** The name of the file that is sent with a job. */
export const fileNameOf = (mark: string) => `${mark}.txt`;

const MARK = /\b(talk|file|mcp|write|allow|refuse)-(page|telegram|v1|hook)-(\d+)\b/g;

export const markOf = (kind: Kind, edge: Edge, n: number) => `${kind}-${edge}-${n}`;
export const kindOf = (mark: string) => mark.slice(0, mark.indexOf("-")) as Kind;

/** The marks in a text, each once, in their order. */
export function marksIn(text: string): string[] {
  return [...new Set([...text.matchAll(MARK)].map(([mark]) => mark))];
}

/** Does the model get it wrong, and call again what was cut off? Then it is asked about again. */
const callsAgain = (mark: string) => Number(/\d+$/.exec(mark)?.[0]) % 2 === 0;

/** Where a command that asks leaves its mark, in the workspace; and what the hook's command leaves there. */
export const ALLOWED_FILE = "allowed.txt";
export const HOOK_FILE = "hooks.txt";

/** The words by which a reply names the jobs that it answers, and those whose work it reports. */
export const HEARD = "Heard:";
export const REPORTED = "Reported:";

/** The marks behind a word of a reply. */
export function marksBehind(word: string, text: string): string[] {
  const line = text.split("\n").find((each) => each.startsWith(word));
  return line === undefined ? [] : marksIn(line);
}

/** @param onReply is told of each reply of the model, whether it counts in the end or not. */
export function scriptOfEdges(onReply: (text: string) => void = () => undefined): Script {
  return {
    teller: (request) => {
      const said = marksIn(section("inputs", request));
      const work = said.filter((mark) => kindOf(mark) !== "talk");
      const left = work.slice(request.results.length, request.results.length + CALLS_PER_ROUND_MAX);
      if (left.length > 0) return { calls: left.map((mark) => ({ name: "delegate", args: { prompt: `do ${mark}` } })) };
      const lines = [line(HEARD, said), line(REPORTED, marksIn(section("results", request)))].flat();
      const say = lines.join("\n") || "Nothing new.";
      onReply(say);
      return { say };
    },
    planner: (request) => {
      const [mark = "nothing"] = marksIn(section("request", request));
      return request.turn === 0 ? call("delegate", { title: mark, prompt: `do ${mark}` }) : { say: "" };
    },
    worker: work,
  };
}

const line = (word: string, marks: readonly string[]) => (marks.length === 0 ? [] : [`${word} ${marks.join(" ")}`]);

/** How the report of a job ends: `done`, `refused`, `cut off`, or why it was not done. */
export const endOf = (mark: string, how: string) => `${mark} ended: ${how}`;

function work(request: ModelRequest): Step {
  const [mark = "nothing"] = marksIn(`${section("task", request)}\n${section("upstream", request)}`);
  const kind = kindOf(mark);
  const end = (how: string): Step => ({ say: endOf(mark, how) });
  const names = request.messages.flatMap(({ tool_calls = [] }) => tool_calls.map((each) => each.function.name));
  const made = request.results.filter((_, at) => names[at]?.endsWith("odd__status") !== true);
  const next = callFor(mark, kind, request);
  const [last] = made.slice(-1);
  const isRefused = /^The owner (says no|has not answered)/m.test(request.messages.at(-1)?.content ?? "");
  if (isRefused || last?.includes("not_allowed") === true) return end("refused");
  if (last !== undefined && !/needs_approval|the owner is asked first/.test(last)) {
    if (!last.startsWith("cut off"))
      return end(isFailure(last) ? `failed: ${last.slice(0, 200)}` : `done ${fileIn(last)}`);
    if (kind === "mcp" || (kind !== "file" && !callsAgain(mark))) return end("cut off");
  }
  if (next !== null) return { calls: [next] };
  // Its server is still starting: its state is waited for.
  return request.results.length - made.length < 3 ? call("odd__status", {}) : end("no tool");
}

const isFailure = (result: string) => /^\{"error"|^exit code [1-9]|was lost during the call/.test(result);
/** The words of a file that a job has read. */
const fileIn = (result: string) => /file of \S+/.exec(result)?.[0] ?? "";

/** The call that does a job; null where no such tool is offered yet. */
function callFor(mark: string, kind: Kind, request: ModelRequest) {
  if (kind === "mcp" || kind === "write") {
    const name = kind === "mcp" ? "odd__say" : "odd__write";
    return request.tools.includes(name) ? { name, args: { text: mark } } : null;
  }
  // Messages of one turn share their files.
  const paths = [...section("attachments", request).matchAll(/path: "?([^\s"]+)/g)].map(([, path = ""]) => path);
  const path = paths.find((each) => marksIn(each).includes(mark));
  const command = kind === "file" ? `cat '${path}'` : `echo ${mark} >> ${ALLOWED_FILE}`;
  return { name: "bash", args: kind === "file" ? { command } : { command, network: true } };
}
