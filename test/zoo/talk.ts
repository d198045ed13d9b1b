/** A conversation as models of the zoo are sent it. */
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import type { ModelRequest } from "../support/model-server.ts";

const START_MS = Date.UTC(2026, 10, 22, 2, 0, 0);
const TURN_MS = 90_000;

export const RECIPE = [
  "# Chili for nine",
  ...Array.from({ length: 14 }, (_, i) => `${i + 1}. ${i + 2} tbsp of ingredient number ${i + 1}, ground and toasted.`),
  "Simmer for 90 minutes and stir often. The secret is one square of dark chocolate.",
  ...Array.from({ length: 6 }, (_, i) => `Step ${i + 1}: ${"stir, taste, add salt and wait ".repeat(4)}.`),
].join("\n\n");

/** A paste, whose point stands in its middle. */
export const PASTE = [
  ...Array.from(
    { length: 60 },
    (_, i) => `09:${String(i).padStart(2, "0")} Mr. Stein thanks the council for item ${i} of the list.`,
  ),
  "The council decides: the heating is replaced by a heat pump in May.",
  ...Array.from({ length: 130 }, (_, i) => `Resident ${i} asks about the balconies and the railings of house ${i}.`),
].join("\n");

export const userSaid = (turn: number, text: string, part: Partial<HistoryMessage> = {}): HistoryMessage => ({
  id: `m-${turn}`,
  role: "user",
  text,
  at: new Date(START_MS + turn * TURN_MS).toISOString(),
  ...part,
});

export const replied = (turn: number, text: string, part: Partial<HistoryMessage> = {}): HistoryMessage => ({
  id: `t-${String(turn).padStart(6, "0")}.reply`,
  role: "assistant",
  text,
  at: new Date(START_MS + turn * TURN_MS + 1_000).toISOString(),
  answers: [`m-${turn}`],
  taskIds: [],
  ...part,
});

/** A request in the order in which caches of vendors read it: tools, rules, messages; without marks. */
export function asCached({ body }: ModelRequest): string {
  const { tools, system, systemInstruction, instructions, messages, contents, input } = body as Record<string, unknown>;
  const parts = [tools, system, systemInstruction, instructions, messages ?? contents ?? input];
  const text = JSON.stringify(parts, (name, value) => (name === "cache_control" ? undefined : value));
  return text.slice(0, -"]]".length);
}

/** The share of all characters that an earlier request began with. */
export function cachedShare(requests: readonly ModelRequest[]): number {
  const sent = requests.map(asCached);
  const cached = sent.map((text, i) => Math.max(0, ...sent.slice(0, i).map((before) => commonLength(before, text))));
  return sum(cached) / sum(sent.map(({ length }) => length));
}

export function charsOf(requests: readonly ModelRequest[]): number {
  return sum(requests.map((request) => asCached(request).length));
}

function commonLength(a: string, b: string): number {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  return same;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
