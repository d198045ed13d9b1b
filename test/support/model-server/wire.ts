/** A wire format: how a request is read, and how an answer is said. One file each. */
import type { ServerResponse } from "node:http";
import type { OfferedTool, Reading, WireName, WireThought } from "./request.ts";
import { BadRequest, bareName } from "./request.ts";
import type { Answer, ScriptedCall } from "./script.ts";

/** The cost of every answer, in tokens. `input` counts the cached ones too. */
export const USAGE = { input: 100, cached: 60, output: 7 };

/** A call as it goes over the wire. */
export interface ResolvedCall extends OfferedTool {
  id: string;
  /** JSON, or the text of a custom tool. */
  arguments: string;
}

/** An answer whose calls are those of the tools that were offered. */
export interface Utterance extends Pick<Answer, "finish" | "withoutUsage"> {
  /** Counts the answers of the server: what ids are made of. */
  number: number;
  model: string;
  say: string;
  calls: ResolvedCall[];
  thought?: WireThought;
}

export interface Wire {
  name: WireName;
  /** The path of its requests; where the model is named in it, an expression with that name as its group. */
  path: string | RegExp;
  /** The id of a call on this wire, of that in the script. */
  callId?(id: string): string;
  /** @param body parsed JSON. @param path that of the request. Throws `BadRequest`, or what zod throws. */
  read(body: unknown, path: string): Reading;
  /** As a model speaks: in pieces. The stream is open, and stays open. */
  stream(response: ServerResponse, utterance: Utterance): void;
  /** The beginning of such a stream, with this text, and no end. */
  begin(response: ServerResponse, utterance: Utterance): void;
  /** In one piece. */
  whole(utterance: Utterance): object;
}

/** The offered tools that run a command, and their form of it. The first that is offered is called. */
const SHELLS: { name: string; argumentsOf: (command: string) => string }[] = [
  { name: "bash", argumentsOf: (command) => JSON.stringify({ command }) },
  { name: "Bash", argumentsOf: (command) => JSON.stringify({ command, description: "a scripted command" }) },
  { name: "exec_command", argumentsOf: (cmd) => JSON.stringify({ cmd }) },
  { name: "shell_command", argumentsOf: (command) => JSON.stringify({ command }) },
  // A tool that takes JavaScript, in which the commands are functions.
  { name: "exec", argumentsOf: (cmd) => `text(await tools.exec_command(${JSON.stringify({ cmd })}))` },
];

/** The call as the client of this request understands it; a name that was not offered stays what it is. */
export function resolveCall(call: ScriptedCall, offered: readonly OfferedTool[], id: string): ResolvedCall {
  const find = (name: string) =>
    offered.find((tool) => tool.name === name) ?? offered.find((tool) => bareName(tool.name) === name);
  if ("shell" in call) {
    for (const { name, argumentsOf } of SHELLS) {
      const tool = find(name);
      if (tool !== undefined) return { ...tool, id, arguments: argumentsOf(call.shell) };
    }
    throw new BadRequest(`nothing that runs a command is offered: ${offered.map((tool) => tool.name).join(", ")}`);
  }
  const { name, args = {}, raw = JSON.stringify(args) } = call;
  return { ...(find(name) ?? { name, kind: "function" }), id, arguments: raw };
}

/** A text in three pieces; an empty one in one. */
export function piecesOf(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / 3));
  const pieces: string[] = [];
  for (let at = 0; at === 0 || at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return pieces;
}

/** A text in two halves. */
export function halvesOf(text: string): [string, string] {
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)];
}

export function openStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
}
