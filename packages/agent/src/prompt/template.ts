/**
 * The template of a prompt: `{name}`, and `{#if name}…{/if}` around what is only there when the name has a value
 * (SPEC F2). A template is read once and then filled in: what is filled in is never read as a template.
 */
import type { Quoted } from "./quote.ts";

/** The template is wrong; the message says where and why. */
export class BadTemplate extends Error {}

interface Part {
  /** Only there when this name has a value. */
  when: string | null;
  /** The value of this name, or a text as it stands. */
  content: { name: string } | { text: string };
}

export interface Template {
  parts: readonly Part[];
}

/** A directive that stands alone takes its line with it. Braces around anything but a name are text. */
const MARK = /^[ \t]*\{(?<alone>[#/][^{}\n]*)\}[ \t]*\n|\{(?<inner>[#/][^{}\n]*|[A-Za-z_]\w*)\}/gm;
const IF = /^#if ([a-z_]+)$/;

/** Throws `BadTemplate` where a name is not among `names`, one of them is missing, or an `{#if}` is not closed or nested. */
export function parseTemplate(source: string, names: readonly string[]): Template {
  const parts: Part[] = [];
  const used = new Set<string>();
  let when: string | null = null;
  let end = 0;
  const check = (name: string, at: number): string => {
    if (names.includes(name)) return name;
    throw bad(source, at, `"${name}" is unknown; there is: ${names.join(", ") || "nothing"}`);
  };
  for (const { 0: mark, index, groups = {} } of source.matchAll(MARK)) {
    parts.push({ when, content: { text: source.slice(end, index) } });
    end = index + mark.length;
    const inner = groups.alone ?? groups.inner ?? "";
    const opened = IF.exec(inner)?.[1];
    if (opened !== undefined) {
      if (when !== null) throw bad(source, index, `{#if ${opened}} stands inside {#if ${when}}`);
      when = check(opened, index);
    } else if (inner === "/if") {
      if (when === null) throw bad(source, index, "{/if} closes nothing");
      when = null;
    } else if (/^[#/]/.test(inner)) throw bad(source, index, `{${inner}} is not known: {#if name} and {/if} are`);
    else {
      used.add(check(inner, index));
      parts.push({ when, content: { name: inner } });
    }
  }
  if (when !== null) throw bad(source, source.length, `{#if ${when}} is not closed`);
  const missing = names.filter((name) => !used.has(name));
  if (missing.length > 0) throw bad(source, source.length, `it does not show: ${missing.join(", ")}`);
  parts.push({ when, content: { text: source.slice(end) } });
  return { parts };
}

/** The text of the parts that are there only when a name has a value, for the names that `isMeant`. */
export function textOf({ parts }: Template, isMeant: (name: string) => boolean): string {
  return parts
    .flatMap(({ when, content }) => ("text" in content && when !== null && isMeant(when) ? content.text : []))
    .join("");
}

/** The template before and after the part that is there only when `name` has a value; all of it is after where there is none. */
export function divideTemplate({ parts }: Template, name: string): [before: Template, after: Template] {
  const isIt = ({ when }: Part) => when === name;
  const first = parts.findIndex(isIt);
  if (first < 0) return [{ parts: [] }, { parts }];
  return [{ parts: parts.slice(0, first) }, { parts: parts.slice(parts.findLastIndex(isIt) + 1) }];
}

/** Fills in `values`; a name without a value is empty. */
export function renderTemplate(template: Template, values: Readonly<Record<string, Quoted>>): string {
  return template.parts
    .filter(({ when }) => when === null || (values[when] ?? "") !== "")
    .map(({ content }) => ("text" in content ? content.text : (values[content.name] ?? "")))
    .join("");
}

function bad(source: string, at: number, why: string): BadTemplate {
  return new BadTemplate(`line ${source.slice(0, at).split("\n").length}: ${why}`);
}
