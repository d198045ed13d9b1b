/** The texts in a source file of the command line, and how each is said to people: found in its syntax tree. */
import { parseAst } from "vite";

export interface SaidText {
  text: string;
  line: number;
  /** `t`: an argument of `t`. `direct`: printed as it is. `apart`: elsewhere, for example in a constant. */
  how: "t" | "direct" | "apart";
}

/** Calls that print, or throw, what they are given; the first arguments of some are no texts. */
const SINKS: Readonly<Record<string, { skip: number; most?: number }>> = {
  confirm: { skip: 0 },
  Failure: { skip: 1 },
  Error: { skip: 0 },
  note: { skip: 0, most: 1 },
  printLine: { skip: 0 },
  printNotice: { skip: 0 },
  printProgress: { skip: 0 },
  printTable: { skip: 1 },
  question: { skip: 0 },
  say: { skip: 0 },
  section: { skip: 0 },
  styled: { skip: 1 },
  write: { skip: 0 },
};
/** Arguments of these are printed where the call stands; those of other calls are not printed themselves. */
const PASSING = new Set([
  "asCalled",
  "clipped",
  "concat",
  "flatMap",
  "map",
  "padded",
  "plainLine",
  "plainText",
  "told",
]);

interface Node {
  type: string;
  start: number;
  [part: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** `{}` stands for what a template puts in. */
export function textsIn(source: string): SaidText[] {
  const found: SaidText[] = [];
  const lineAt = (at: number) => source.slice(0, at).split("\n").length;

  const walk = (value: unknown, how: SaidText["how"]): void => {
    if (Array.isArray(value)) for (const each of value) walk(each, how);
    if (!isNode(value)) return;
    const node = value;
    if (isOfTypes(node)) return;
    const text = textOf(node);
    if (text !== undefined) found.push({ text, line: lineAt(node.start), how });
    if (node.type === "CallExpression" || node.type === "NewExpression") {
      walkCall(node, how);
      return;
    }
    const isCompared = node.type === "BinaryExpression" && node.operator !== "+";
    for (const [part, inner] of Object.entries(node))
      if (part !== "type" && !isName(node, part)) walk(inner, isCompared ? "apart" : how);
  };

  const walkCall = (node: Node, how: SaidText["how"]): void => {
    const called = nameOf(node.callee);
    const given = node.arguments as unknown[];
    const sink = Object.hasOwn(SINKS, called) ? SINKS[called] : undefined;
    if (called === "t") {
      walk(given[0], "t");
      // Values that stand in the text are said with it.
      walk(given.slice(1), how);
    } else if (sink !== undefined) {
      if (called === "printTable") walk(given[0], "t");
      else walk(given.slice(0, sink.skip), "apart");
      const end = sink.skip + (sink.most ?? given.length);
      walk(given.slice(sink.skip, end), "direct");
      walk(given.slice(end), "apart");
    } else {
      walk(node.callee, how);
      walk(given, PASSING.has(called) ? how : "apart");
    }
  };

  walk(parseAst(source, { lang: "ts" }).body, "apart");
  return found;
}

/** Types and names of modules say nothing. */
function isOfTypes({ type, source }: Node): boolean {
  if (type.startsWith("TS")) return !/^TS(?:As|NonNull|Satisfies)Expression$/.test(type);
  return type === "ImportDeclaration" || (type.startsWith("Export") && isNode(source));
}

/** A key that is no text, and how a command is typed. */
function isName(node: Node, part: string): boolean {
  if (node.type !== "Property") return false;
  return (part === "key" && node.computed !== true) || (part === "value" && nameOf(node.key) === "usage");
}

function textOf(node: Node): string | undefined {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type !== "TemplateLiteral") return undefined;
  return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join("{}");
}

function nameOf(callee: unknown): string {
  if (!isNode(callee)) return "";
  return String(callee.type === "MemberExpression" ? nameOf(callee.property) : (callee.name ?? ""));
}
