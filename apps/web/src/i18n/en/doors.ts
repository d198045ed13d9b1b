/** The words before the conversation: whose browser this is, and whose state directory; loaded where one of the two is asked. */
import type { HomeItem } from "@mimikit/protocol/wire/api";

export const doorWords = {
  adoption: {
    title: "Is this state directory yours?",
    text: (home: string) =>
      `${home} was not created here, so nothing in it runs. If it came with someone else’s repository or archive, stop Mimikit and delete it. If it is yours, adopt it: then the following runs or is trusted.`,
    nothing: "Nothing in it would run or be trusted.",
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
    done: "Adopted. Mimikit continues in a moment.",
  },
  pairTitle: "Pair this browser",
  pairText:
    "Mimikit answers only browsers that are paired with it. A paired browser shows a code under Settings → Devices → Add a device. Or run this on the computer where Mimikit runs, and open the link or type the code that it prints:",
  pairCommand: "mimikit pair",
  pairStart: "“npm start” prints a link, too. A code works once, for ten minutes.",
  pairCode: "Pairing code, or the whole link",
  pair: "Pair",
  pairing: "Pairing…",
  pairExpired: "That code was already used or is older than ten minutes. Get a new one.",
  pairRefused: "Mimikit does not know this code. Check it, or get a new one.",
  pairLocked: "Too many wrong codes. Wait five minutes, then try again.",
  pairForeign: (url: string) =>
    `Mimikit does not know this address. On its computer: mimikit config set publicUrl ${url}  and then: mimikit restart`,
  pairUnreachable: "Mimikit does not answer. Is it running? “npm start” starts it.",
};
