/** Errors of /v1 that several of its parts know. */
import { codeOrQuote } from "@mimikit/protocol/texts/coded";
import { MODEL } from "@mimikit/protocol/wire/v1";
import { Problem } from "../http/problem.ts";

/** What is wrong with a request, in words, and with which field of it. */
export function wrong(message: string, param: string): Problem {
  return new Problem(400, codeOrQuote(message), { code: "unsupported_value", param });
}

export function unknownModel(): Problem {
  const said = codeOrQuote(`there is no such model here; it is called ${MODEL}`);
  return new Problem(404, said, { code: "model_not_found", param: "model" });
}
