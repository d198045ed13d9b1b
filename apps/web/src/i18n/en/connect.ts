/** The words of the card that connects a model, and of the list of who answers in which order. */
import type { Cause } from "@mimikit/protocol/base/cause";
import { API_TITLES, type ModelApi } from "@mimikit/protocol/base/provider";
import type { OfferedModel } from "@mimikit/protocol/wire/connect";
import { costText, numberText } from "../base/format.ts";

/** Advice, by why a model did not answer. */
const ADVICE: Record<Cause, string> = {
  key: "The key or the login was rejected. Use another one.",
  credit: "There is no credit left. Add some where the key was created, or choose another model.",
  limit: "Its rate limit is reached. Wait, or choose another model.",
  model: "There is no such model. Choose one from the list.",
  tools: "This model cannot call tools. Choose another one.",
  window: "The context window of this model is too small. Choose another one.",
  withheld: "The answer was withheld, by the model or by a filter. Choose another one.",
  region: "It does not serve this country or region. Choose another provider.",
  request: "It does not accept the request. Choose another model.",
  down: "No response. Is the server running, and is the address right?",
  program: "The program is not working. Install it or sign in, then check again.",
  busy: "It is busy. Wait a moment, then test again.",
  other: "It did not answer.",
};

const known = (value: boolean | null): string => (value === null ? "not known" : value ? "yes" : "no");

export const connectWords = {
  provider: "Provider",
  choose: "Choose…",
  /** The provider openai in the list, which elsewhere goes by the name of its model. */
  openai: "OpenAI, or a compatible endpoint",
  kinds: {
    endpoint: "With a key",
    local: "On this computer or network",
    program: "Through a program, with a subscription or key",
  },
  found: "Found on this computer",
  foundServer: (title: string, address: string, models: number) => `${title} at ${address} (${models})`,
  isLooking: "Looking for models on this computer…",
  noneFound: "No model server was found on this computer.",
  key: "Key",
  optionalKey: "Key, if it needs one",
  keyKept: "A key is saved. Leave this empty to use it.",
  keyLocked: (variable: string) =>
    `The key comes from the variable ${variable}, which wins. To use another, unset it where Mimikit is started.`,
  keyPage: "Create a key",
  forgetKey: "Delete the key",
  keyForgotten: "The key was deleted.",
  address: "Address",
  otherAddress: "Another address",
  addressHint: "Any address with the same protocol, up to and including its version.",
  signIn: "Sign in on the computer where Mimikit runs, with this command:",
  orKey: "Or use a key",
  checkAgain: "Check again",
  checking: "Checking…",
  isReady: "Ready to use.",
  lacks: (what: string) => `Missing: ${what}.`,
  test: "Test",
  testing: "Testing…",
  testHint: "Lists the models; if one is chosen, makes one tiny call.",
  answered: (model: string, latency: string) => `${model} answered in ${latency}.`,
  listed: (n: number) => (n === 1 ? "1 model found." : `${numberText(n)} models found.`),
  tools: "Tools",
  vision: "Pictures",
  window: "Context window",
  price: "Price",
  known,
  tokens: (n: number | null, assumed?: number) => {
    if (n !== null) return `${numberText(n)} tokens`;
    return assumed === undefined ? known(null) : `unknown; ${numberText(assumed)} tokens are assumed`;
  },
  perMillion: (price: { input: number; output: number } | null) =>
    price === null ? known(null) : `${costText(price.input)} in, ${costText(price.output)} out, per million tokens`,
  offered: ({ contextWindow, toolCalls, vision }: OfferedModel) =>
    [
      ...(contextWindow === undefined ? [] : [connectWords.tokens(contextWindow)]),
      ...(toolCalls === false ? ["no tools"] : []),
      ...(vision === true ? ["sees pictures"] : []),
    ].join(" · "),
  model: "Model",
  modelHint: "Type a name, or part of one to search the list.",
  ownModel: "Leave this empty to use the program’s own choice.",
  models: "Models",
  more: (n: number) => `${numberText(n)} more: type to find them`,
  nearest: "Similar names:",
  advice: (cause: Cause) => ADVICE[cause] ?? ADVICE.other,
  answersFor: "Use for",
  save: "Save",
  saving: "Saving…",
  saved: "Saved. It takes effect in a moment.",
  answersNow: (models: string) => `In use: ${models}`,

  forNext: "For the next message",
  forGood: "From now on",

  order: "Fallbacks",
  orderText: "A provider that cannot be reached is skipped for a while, and the next one answers.",
  changeOrder: "Change the order",
  stateOf: {
    closed: "available",
    open: "not asked for now",
  },
  askedOver: (api: ModelApi) => `asked over ${API_TITLES[api]}`,
  triedAt: (moment: string) => `next try at ${moment}`,
  tryNow: "Try now",
  tried: "Trying again.",
};
