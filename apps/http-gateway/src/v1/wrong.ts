/** Errors of /v1 that several of its parts know. */
import { codeOrQuote } from "@mimikit/protocol/texts/coded";
import { MODEL } from "@mimikit/protocol/wire/v1";
import { Problem } from "../http/problem.ts";

/** A mistake in a request, in words, and the field that it is about. */
export function wrong(message: string, param: string): Problem {
  return new Problem(400, codeOrQuote(message), { code: "unsupported_value", param });
}

export function unknownModel(): Problem {
  const said = codeOrQuote(`there is no such model here; it is called ${MODEL}`);
  return new Problem(404, said, { code: "model_not_found", param: "model" });
}
