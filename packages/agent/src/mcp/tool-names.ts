/** The names under which models call tools from outside: valid at every vendor, the same in each run, no two alike. */
import { createHash } from "node:crypto";

/** OpenAI takes 64 characters, and agent CLIs put `mcp__mimikit__` before the name. */
export const TOOL_NAME_CHARS_MAX = 50;
/** In the place of a server's name, before those of the owner's commands. */
export const OWN = "own";
/** Gemini wants one of these first. */
const BEGINNING = /^[A-Za-z_]/;
const HASH_CHARS = 6;

export interface Named {
  server: string;
  tool: string;
}

/**
 * `server__tool` for each, in the same order. Where that is too long, or two are alike, a hash of both tells them apart, and a number where
 * that is taken as well: vendors refuse a request with two tools of one name.
 */
export function toolNames(tools: readonly Named[]): string[] {
  const plain = tools.map(plainName);
  const counts = new Map<string, number>();
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isFree = (name: string) => name.length <= TOOL_NAME_CHARS_MAX && counts.get(name) === 1;
  const taken = new Set(plain.filter(isFree));
  return plain.map((name, i) => {
    const tool = tools[i];
    if (tool === undefined || isFree(name)) return name;
    const hash = createHash("sha256").update(`${tool.server}\0${tool.tool}`).digest("hex").slice(0, HASH_CHARS);
    let unique = ended(name, hash);
    for (let n = 2; taken.has(unique); n++) unique = ended(name, `${hash}_${n}`);
    taken.add(unique);
    return unique;
  });
}

function ended(name: string, ending: string): string {
  return `${name.slice(0, TOOL_NAME_CHARS_MAX - ending.length - 1)}_${ending}`;
}

function plainName({ server, tool }: Named): string {
  const name = `${cleaned(server)}__${cleaned(tool)}`;
  return BEGINNING.test(name) ? name : `_${name}`;
}

function cleaned(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, "_");
}
