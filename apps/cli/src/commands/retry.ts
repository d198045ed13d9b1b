/** Has the last message answered anew, as it was or in other words; the earlier reply stays as a version. */

import { command } from "../arguments/command.ts";
import { readTextIfAny, textArgument } from "../arguments/text-argument.ts";
import { t } from "../i18n/language.ts";
import { handOver, printHanded } from "../instance/hand-over.ts";
import { Failure } from "../io/failure.ts";

export const retry = command({
  usage: "retry [text..]",
  summary: "get another answer to your last message, as it was or reworded",
  examples: [
    ["mimikit retry", "after a reply that failed, was stopped, or is not to your liking"],
    ["mimikit retry --provider openai --model gpt-5.2", "from another model, this once"],
    ["mimikit retry only the German ones", "your last message in other words"],
  ],
  takesText: true,
  options: (yargs) =>
    textArgument(yargs)
      .option("provider", { type: "string", describe: "the provider; the one of the settings if not given" })
      .option("model", { type: "string", describe: "the model; needs --provider" }),
  async run({ json, text: words, provider, model }) {
    if (model !== undefined && provider === undefined) throw new Failure("usage", t("--model needs --provider"));
    const text = await readTextIfAny(words);
    const answerBy = provider === undefined ? undefined : { provider, ...(model !== undefined && { model }) };
    const wanted = { kind: "retry" as const, ...(text !== undefined && { text }), ...(answerBy && { answerBy }) };
    printHanded(await handOver(wanted), json);
  },
});
