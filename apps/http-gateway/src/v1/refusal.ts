/** The fields of a request that would change what the answer is: without them it would be a wrong one, so they are refused. All others are ignored. */
import { MODEL } from "@mimikit/protocol/wire/v1";
import { unknownModel, wrong } from "./wrong.ts";

type Fields = Readonly<Record<string, unknown>>;

/** By name: why this value cannot be, in words; null where it changes nothing. */
const REFUSED: Readonly<Record<string, (value: unknown) => string | null>> = {
  n: (value) => (value === 1 ? null : "there is one answer: leave n out"),
  logprobs: (value) => (value === false ? null : "there are no probabilities: leave logprobs out"),
  top_logprobs: (value) => (value === 0 ? null : "there are no probabilities: leave top_logprobs out"),
  response_format: formatRefusal,
  text: (value) => formatRefusal((value as { format?: unknown }).format),
  tool_choice: choiceRefusal,
  function_call: choiceRefusal,
  modalities: (value) => (Array.isArray(value) && value.includes("audio") ? "the answer is text" : null),
  background: (value) => (value === true ? "a response is given while you wait: leave background out" : null),
  conversation: () => "there is one conversation, Mimikit's own: leave conversation out",
  prompt: () => "there are no stored prompts: leave prompt out",
};

function formatRefusal(value: unknown): string | null {
  const type = (value as { type?: unknown } | null | undefined)?.type ?? "text";
  return type === "text" ? null : "the answer is prose for people, not JSON: leave the format out";
}

function choiceRefusal(value: unknown): string | null {
  return value === "auto" || value === "none" ? null : "tools of a client are never called: none can be demanded";
}

/** @throws Problem 404 for another model, 400 for a field that would make the answer another. */
export function assertServed(body: Fields): void {
  if (body.model !== MODEL) throw unknownModel();
  for (const [name, refusalOf] of Object.entries(REFUSED)) {
    const value = body[name];
    const refusal = value === undefined || value === null ? null : refusalOf(value);
    if (refusal !== null) throw wrong(refusal, name);
  }
}
