/** `${VAR}` in mcp.json, as Claude Code has it (`${VAR:-instead}` too) and Cursor (`${env:VAR}`). The value of a variable is not expanded again. */
import type { McpServer } from "@mimikit/protocol/wire/mcp";
import type { Environment } from "@mimikit/runtime/home/home";

const VARIABLE = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-((?:(?!\$\{)[^}])*))?\}/g;

/** A server's variables cannot be filled in; the message says which and what to do, and no value. */
export class UnsetVariable extends Error {}

export interface Expanded {
  command: string | undefined;
  args: string[];
  env: Record<string, string>;
  cwd: string | undefined;
  url: string | undefined;
  headers: Record<string, string>;
  /** Values that no message may repeat. */
  secrets: string[];
}

/** `text` without the values of `secrets`. */
export function withoutValues(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, value) => shown.replaceAll(value, "[key]"), text);
}

/** Shorter values hide words in messages that are no secret. */
const SECRET_CHARS_MIN = 6;

/** The server with the variables of the worker pool filled in. Throws UnsetVariable. */
export function expandServer(
  { command, args = [], env = {}, cwd, url, headers = {} }: McpServer,
  own: Environment,
): Expanded {
  const filledIn: string[] = [];
  const fill = (text: string) =>
    text.replace(VARIABLE, (_whole, name: string, instead?: string) => {
      const value = own[name] ?? instead;
      if (value === undefined)
        throw new UnsetVariable(
          `the variable ${name} is not set where Mimikit was started: set it there, or write its value into mcp.json`,
        );
      filledIn.push(value);
      return value;
    });
  const fillAll = (texts: Record<string, string>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text)]));
  const filled = {
    command: command === undefined ? undefined : fill(command),
    args: args.map(fill),
    env: fillAll(env),
    cwd: cwd === undefined ? undefined : fill(cwd),
    url: url === undefined ? undefined : fill(url),
    headers: fillAll(headers),
  };
  const values = [...Object.values(filled.env), ...Object.values(filled.headers), ...filledIn];
  // `Bearer key`: the key alone is hidden, too.
  const secrets = values.flatMap((value) => [value, ...value.split(/\s+/)]);
  const hidden = [...new Set(secrets)].filter(({ length }) => length >= SECRET_CHARS_MIN);
  // One may be a part of another.
  return { ...filled, secrets: hidden.sort((a, b) => b.length - a.length) };
}
