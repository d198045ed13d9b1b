/**
 * The YAML above the text of a SKILL.md. Public skills often have a colon in an unquoted description, which is no YAML, and other
 * agents load them all the same: so does this, with a warning. A text is only ever taken for a text: no level is lost by it.
 */
import { parse, YAMLParseError } from "yaml";

const ALIASES_MAX = 0;
/** Of a longer one the meaning is not sought: each of its fields is read by itself, which takes time. */
const SOUGHT_CHARS_MAX = 8_192;
/** A field on one line, with its value where it stands beside its name. */
const FIELD = /^([ \t]*)([\w-]+):(?:[ \t]+(\S.*))?$/;
/** The declaration of a skill's rights must not become part of a text. */
const BINDING = /^[ \t]*(?:metadata|level)[ \t]*:/;

/** @returns a warning for people where it is no YAML and was read as it seems meant. Throws an error for people where it cannot be read. */
export function readFrontMatter(yaml: string): { value: unknown; warning?: string } {
  try {
    return { value: readYaml(yaml) };
  } catch (error) {
    const problem = firstLine(error);
    if (!(error instanceof YAMLParseError) || yaml.length > SOUGHT_CHARS_MAX)
      throw new Error(problem, { cause: error });
    const { text, fields } = quoteBroken(yaml.split(/\r?\n/));
    try {
      const value = readYaml(text);
      const warning = `its front matter is no YAML (${problem}), and is read as it seems meant: put the value of ${fields.join(", ")} in quotes`;
      return { value, warning };
    } catch {
      throw new Error(problem, { cause: error });
    }
  }
}

/** The same with each value that is no YAML by itself as a quoted text, and the names of these fields. */
function quoteBroken(lines: readonly string[]): { text: string; fields: string[] } {
  const text: string[] = [];
  const fields: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    const [, indent = "", name, first] = FIELD.exec(line.trimEnd()) ?? [];
    const end = name === undefined ? at + 1 : endOfField(lines, at, indent.length);
    const whole = lines.slice(at, end);
    const more = whole.slice(1);
    if (name === undefined || isYaml(whole.join("\n"))) text.push(...whole);
    else if (first === undefined || more.some((each) => BINDING.test(each))) {
      // The fields within it are looked at one by one.
      text.push(line);
      at += 1;
      continue;
    } else {
      fields.push(name);
      const value = [first, ...more.map((each) => each.trim())].filter(Boolean).join(" ");
      text.push(`${indent}${name}: ${JSON.stringify(value)}`);
    }
    at = end;
  }
  return { text: text.join("\n"), fields };
}

/** The first line after it that is not indented more than it is. */
function endOfField(lines: readonly string[], at: number, indent: number): number {
  const after = lines.slice(at + 1).findIndex((line) => line.trim() !== "" && line.search(/\S/) <= indent);
  return after < 0 ? lines.length : at + 1 + after;
}

function isYaml(text: string): boolean {
  try {
    readYaml(text);
    return true;
  } catch {
    return false;
  }
}

function readYaml(text: string): unknown {
  return parse(text, { maxAliasCount: ALIASES_MAX, logLevel: "error" });
}

function firstLine(error: unknown): string {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return line.replace(/:$/, "");
}
