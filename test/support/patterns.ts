/** Finds the regular expressions of source files, and the texts for which one of them takes more than linear time. */
import vm from "node:vm";
import { parseSync, Visitor } from "rolldown/utils";
import { analyse } from "scslre";

export interface FoundPattern {
  source: string;
  flags: string;
  line: number;
}

/** A call of `new RegExp` whose pattern does not follow from the constants of its file. */
export interface MadePattern {
  code: string;
  line: number;
}

type Node = Parameters<NonNullable<ConstructorParameters<typeof Visitor>[0]["NewExpression"]>>[0]["arguments"][number];

/** The patterns in the source `text` of the file at `path`. */
export function patternsIn(path: string, text: string): { found: FoundPattern[]; made: MadePattern[] } {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const found: FoundPattern[] = [];
  const made: MadePattern[] = [];
  const constants = new Map<string, Node>();
  const lineAt = (start: number) => text.slice(0, start).split("\n").length;
  const textOf = (node: Node | null | undefined): string | undefined => {
    if (node?.type === "Literal")
      return typeof node.value === "string" || typeof node.value === "number" ? `${node.value}` : undefined;
    if (node?.type === "Identifier") return textOf(constants.get(node.name));
    if (node?.type === "TaggedTemplateExpression")
      return text.slice(node.tag.start, node.tag.end) === "String.raw" ? join(node.quasi, "raw") : undefined;
    if (node?.type === "TemplateLiteral") return join(node, "cooked");
    if (node?.type !== "MemberExpression" || node.object.type !== "Identifier") return undefined;
    const regex = constants.get(node.object.name);
    const isSource = text.slice(node.property.start, node.property.end) === "source";
    return isSource && regex?.type === "Literal" && "regex" in regex ? regex.regex.pattern : undefined;
  };
  const join = (template: Extract<Node, { type: "TemplateLiteral" }>, kind: "raw" | "cooked") => {
    const values = template.expressions.map(textOf);
    if (values.includes(undefined)) return undefined;
    return template.quasis.map(({ value }, at) => (value[kind] ?? "") + (values[at] ?? "")).join("");
  };
  const visitCall = (node: { callee: Node; arguments: Node[]; start: number; end: number }) => {
    if (node.callee.type !== "Identifier" || node.callee.name !== "RegExp") return;
    const [pattern, flags] = node.arguments;
    const line = lineAt(node.start);
    const source = textOf(pattern);
    if (source === undefined) made.push({ code: text.slice(node.start, node.end).replace(/\s+/g, " "), line });
    else found.push({ source, flags: textOf(flags) ?? "", line });
  };
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === "Identifier" && init !== null) constants.set(id.name, init);
    },
  }).visit(program);
  new Visitor({
    Literal(node) {
      if ("regex" in node)
        found.push({ source: node.regex.pattern, flags: node.regex.flags, line: lineAt(node.start) });
    },
    NewExpression: visitCall,
    CallExpression: visitCall,
  }).visit(program);
  return { found, made };
}

/** Characters of a short attack. A pattern that reads them at once is linear enough; the others meet a long one. */
const SHORT_CHARS = 20_000;
const SHORT_MS_MAX = 4;
/** Characters of an attack. A linear pattern reads them in about a millisecond, a quadratic one in many seconds. */
const ATTACK_CHARS = 200_000;
/** A pattern that takes longer for one attack does not end in a time that is linear, on a machine that is as slow as you like. */
const ATTACK_MS_MAX = 1_500;
/** Parts of a pattern that are repeated together. */
const PARTS_MAX = 12;
/** Characters that a part may match: the first that it does is taken. Of each list one attack is made. */
const SAMPLES = [
  [..." a0-\t\n,.:/<>\"'`#*_[](){}@=|~一周月。，“é\u0000"],
  [..."a0一周月é -\t\n,.:/<>\"'`#*_[](){}@=|~。，“\u0000"],
] as const;
/** The end of an attack, at which a match fails. */
const ENDS = ["\n\u0001", "x/"];
/** An escape, a class, the beginning of a group, a number of repetitions, words, or a character. */
const PART =
  /\\(?:[pPk](?:\{[^}]*\}|<[^>]*>)|x[\da-f]{2}|u[\da-f]{4}|u\{[\da-f]+\}|.)|\[(?:\\.|\[(?:\\.|[^\]\\])*\]|[^\]\\[])*\]|\[(?:\\.|[^\]\\])*\]|\(\?(?:<?[=!]|<\w+>|:)|\{\d+(?:,\d*)?\}|[\w ]+(?![\w ?*+{])|./gisu;
/** Without a repetition that has no bound, a pattern takes linear time. */
const UNBOUNDED = /[*+]|\{\d+,\}/;

/** The reason why a pattern is not linear; null where none is found. */
export function problemOf({ source, flags }: Pick<FoundPattern, "source" | "flags">): string | null {
  const [report] = analyse({ source, flags }).reports;
  if (report !== undefined) {
    const { source: character, flags: of } = report.character.literal;
    return `${report.exponential ? "exponential" : "quadratic"} for repeated /${character}/${of}`;
  }
  if (!UNBOUNDED.test(source)) return null;
  const pattern = new RegExp(source, flags);
  const context = vm.createContext({ pattern, text: "" });
  const script = new vm.Script("text.replace(pattern, '')");
  const takesLong = (text: string, ms: number) => {
    context.text = text;
    pattern.lastIndex = 0;
    try {
      script.runInContext(context, { timeout: ms });
      return false;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
      return true;
    }
  };
  for (const { before, unit, end } of attacksOn(source, flags)) {
    const attack = (chars: number) => before + unit.repeat(chars / unit.length) + end;
    if (takesLong(attack(SHORT_CHARS), SHORT_MS_MAX) && takesLong(attack(ATTACK_CHARS), ATTACK_MS_MAX))
      return `does not end for repeated ${JSON.stringify(attack(ATTACK_CHARS).slice(0, 40))}`;
  }
  return null;
}

interface Attack {
  before: string;
  /** The part that is repeated. */
  unit: string;
  end: string;
}

/** Texts that repeat what a run of the pattern's parts matches, behind what the parts before it match. */
function attacksOn(source: string, flags: string): Iterable<Attack> {
  const attacks = new Map<string, Attack>();
  for (const samples of SAMPLES) {
    const parts = partsOf(source, flags, samples);
    for (let from = 0; from < parts.length; from++) {
      let unit = "";
      for (const part of parts.slice(from, from + PARTS_MAX)) {
        if (part === null) break;
        unit += part;
        if (part === "") continue;
        const before = beginningOf(parts.slice(0, from));
        for (const end of ENDS) attacks.set(JSON.stringify([before, unit, end]), { before, unit, end });
      }
    }
  }
  return attacks.values();
}

/** A text for each part of the pattern, one after the other; null where an alternative ends. */
function partsOf(source: string, flags: string, samples: readonly string[]): (string | null)[] {
  const parts: (string | null)[] = [];
  const sets = new Map<string, string>();
  const sampleOf = (set: string) => {
    const pattern = new RegExp(`^(?:${set})$`, flags.replace(/[gy]/g, ""));
    return samples.find((sample) => pattern.test(sample)) ?? "";
  };
  for (const [part] of source.matchAll(PART)) {
    const last = parts.at(-1);
    if (part === "|") parts.push(null);
    else if (/^\{\d/.test(part) && typeof last === "string")
      parts.splice(-1, 1, last.repeat(Math.min(Number.parseInt(part.slice(1), 10), PARTS_MAX)));
    else if (/^(?:[()^$*+?]|\(\?.*|\\[bBk1-9].*)$/.test(part)) continue;
    else if (/^\\[^\w]$/.test(part)) parts.push(part.slice(1));
    else if (/^[[\\.]/.test(part)) {
      const sample = sets.get(part) ?? sampleOf(part);
      sets.set(part, sample);
      parts.push(sample);
    } else parts.push(part);
  }
  return parts;
}

/** The parts before, of each group with alternatives the first. */
function beginningOf(parts: readonly (string | null)[]): string {
  const end = parts.indexOf(null);
  return parts.slice(0, end < 0 ? parts.length : end).join("");
}
