/** The input of a call as people read it. */
import { tryJson } from "@mimikit/protocol/base/json";
import { z } from "zod";

const Command = z
  .strictObject({ command: z.string() })
  .or(z.looseObject({ command: z.string(), description: z.string() }));

/** A command alone is shown as it is, all else as JSON. @param input the arguments, or the JSON that holds them. */
export function inputText(input: unknown): string {
  const value = typeof input === "string" ? (tryJson(input) ?? input) : input;
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  return Command.safeParse(value).data?.command ?? JSON.stringify(value, null, 2);
}
