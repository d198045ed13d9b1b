/** The words of the card that connects a model, and of the list of who answers in which order. */
import type { Cause } from "@mimikit/protocol/base/cause";
import type { OfferedModel } from "@mimikit/protocol/wire/connect";
import { costText, numberText } from "../base/format.ts";

/** Advice, by why a model did not answer. */
const ADVICE: Record<Cause, string> = {
  key: "The key or the login is refused. Use another one.",
  credit: "There is no credit left. Add some where the key was made, or choose another model.",
  model: "There is no such model. Choose one of the list.",
  tools: "This model cannot call tools. Choose another one.",
  window: "The window of this model is too small. Choose another one.",
  down: "Nothing answers there. Is the server running, and is the address right?",
  program: "The program does not work. Install it or sign in, then check again.",
  busy: "It is busy. Wait a moment, then test again.",
  other: "It did not answer.",
};

const known = (value: boolean | null): string => (value === null ? "not known" : value ? "yes" : "no");

export const connectWords = {
  provider: "Provider",
  choose: "Choose…",
  kinds: {
    endpoint: "With a key",
    local: "On this computer or network",
    program: "With a subscription or key, by a program",
  },
  found: "Found on this computer",
  foundServer: (title: string, address: string, models: number) => `${title} at ${address} (${models})`,
  isLooking: "Looking for models on this computer…",
  noneFound: "No model server was found on this computer.",
  key: "Key",
  optionalKey: "Key, if it needs one",
  keyKept: "A key is kept. Leave this empty to use it.",
  keyLocked: (variable: string) =>
    `The key comes from the variable ${variable}, which wins. To use another, unset it where Mimikit is started.`,
  keyPage: "Where keys are made",
  forgetKey: "Forget the key",
  keyForgotten: "The key is forgotten.",
  address: "Address",
  otherAddress: "Another address",
  addressHint: "Any address that speaks the same protocol, up to and with its version.",
  signIn: "Sign in on the computer where Mimikit runs, with this command:",
  orKey: "Or use a key",
  checkAgain: "Check again",
  checking: "Checking…",
  isReady: "It is ready.",
  lacks: (what: string) => `It lacks ${what}.`,
  test: "Test",
  testing: "Testing…",
  testHint: "Lists the models; with a model chosen, makes one tiny call.",
  answered: (model: string, latency: string) => `${model} answered in ${latency}.`,
  listed: (n: number) => (n === 1 ? "1 model is there." : `${numberText(n)} models are there.`),
  tools: "Tools",
  vision: "Pictures",
  window: "Window",
  price: "Price",
  known,
  tokens: (n: number | null) => (n === null ? known(null) : `${numberText(n)} tokens`),
  perMillion: (price: { input: number; output: number } | null) =>
    price === null ? known(null) : `${costText(price.input)} in, ${costText(price.output)} out, for a million tokens`,
  offered: ({ contextWindow, toolCalls, vision }: OfferedModel) =>
    [
      ...(contextWindow === undefined ? [] : [connectWords.tokens(contextWindow)]),
      ...(toolCalls === false ? ["no tools"] : []),
      ...(vision === true ? ["sees pictures"] : []),
    ].join(" · "),
  model: "Model",
  modelHint: "Type its name, or part of it to find it in the list.",
  ownModel: "Leave it empty to use the program’s own choice.",
  models: "Models",
  more: (n: number) => `${numberText(n)} more: type to find them`,
  nearest: "Similar names:",
  advice: (cause: Cause) => ADVICE[cause] ?? ADVICE.other,
  answersFor: "Answers for",
  save: "Save",
  saving: "Saving…",
  saved: "Saved. It counts in a moment.",
  answersNow: (models: string) => `Answers now: ${models}`,

  forNext: "For the next message",
  forGood: "From now on",

  order: "Who stands in",
  orderText: "Who cannot be reached is left alone for a while, and the next one answers.",
  changeOrder: "Change the order",
  stateOf: {
    closed: "reachable, as far as is known",
    open: "cannot be reached",
  },
  triedAt: (moment: string) => `tried again at ${moment}`,
  tryNow: "Try now",
  tried: "Asked again now.",
};
