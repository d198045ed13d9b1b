/** The words before the conversation: whose browser this is, and whose state directory; loaded where one of the two is asked. */
import type { HomeItem } from "@mimikit/protocol/wire/api";

export const doorWords = {
  adoption: {
    title: "Is this state directory yours?",
    text: (home: string) =>
      `${home} was not made here, so nothing in it runs. If it came with a repository or an archive of somebody else, stop Mimikit and delete it. If it is yours, adopt it: then this runs or is believed.`,
    nothing: "Nothing in it would run or be believed.",
    kinds: {
      setting: "Settings of config.yaml",
      command: "Commands in the inbox",
      task: "Tasks",
      result: "Results whose effects would be applied",
      trigger: "Triggers",
      skill: "Skills",
      file: "Files that are part of every prompt",
      browser: "Browsers that are signed in",
    } satisfies Record<HomeItem["kind"], string>,
    more: (count: number) => `And ${count.toLocaleString("en")} more.`,
    accept: "It is mine: adopt it",
    done: "Adopted. Mimikit goes on in a moment.",
  },
  pairTitle: "Pair this browser",
  pairText: "Mimikit answers only browsers that you have paired with it. Print a fresh address and open it here:",
  pairCommand: "mimikit pair",
  pairStart: "npm start prints one too. A code works once, for ten minutes.",
  pairCode: "Pairing code",
  pairPlaceholder: "the code, or the address",
  pair: "Pair",
  pairing: "Pairing…",
  pairExpired: "That code was used already or is older than ten minutes. Print a new one.",
  pairRefused: "That is not a code Mimikit knows. Print a new one and paste all of it.",
  pairLocked: "Too many codes were wrong. Wait a minute, then try again.",
  pairForeign: (url: string) =>
    `Mimikit does not know this address. On its computer: mimikit config set publicUrl ${url}  and then: mimikit restart`,
  pairUnreachable: "Mimikit does not answer. Is it running? “npm start” starts it.",
};
