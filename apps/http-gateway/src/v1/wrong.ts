/** Errors of /v1 that several of its parts know. */
import { codeOrQuote } from "@mimikit/protocol/texts/coded";
import { MODEL } from "@mimikit/protocol/wire/v1";
import { HttpProblem } from "../http/problem.ts";

/** A mistake in a request, in words, and the field that it is about. */
export function wrong(message: string, param: string): HttpProblem {
  return new HttpProblem(400, codeOrQuote(message), { code: "unsupported_value", param });
}

export function unknownModel(): HttpProblem {
  const said = codeOrQuote(`there is no such model here; it is called ${MODEL}`);
  return new HttpProblem(404, said, { code: "model_not_found", param: "model" });
}
