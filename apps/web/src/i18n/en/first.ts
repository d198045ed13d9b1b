/** The words of the first steps and of what is empty, in the language of the page. */

export const firstWords = {
  title: "First steps",
  titleHint: "a model, what it may do, a request, notifications, the phone",
  hide: "Hide this",
  done: "done",
  passed: "passed over",
  afterAll: "After all",
  notNow: "Not now",

  goOnWithout: "Go on without",
  offline: "Without a model the built-in engine answers: it runs commands, reminds, repeats and remembers.",
  ask: "Ask for something",
  examples: [
    { text: "What can you do?", why: "everything the assistant understands" },
    { text: "remind me in 20 minutes to stretch", why: "once, also when this page is closed" },
    { text: "every day at 9 run `df -h .`", why: "the same by itself, until you cancel it" },
  ],
  notifications: "Notifications",
  notificationsText:
    "When the page is in the background, a question or a reminder can show as a notification of this device. Nothing is shown unless you allow it here.",
  notificationsDenied: "The browser refuses them for this address. Its site settings can change that.",
  phone: "Pair the phone",
  phoneText:
    "On the computer where Mimikit runs, this prints an address, and a code to type, for one more browser. They count once, for ten minutes:",
  onlyHere:
    "As it is set, only this computer reaches it: a phone does so once “publicUrl” names the address of a proxy with TLS, or “host” and “allowedHosts” an address of your network.",
  onlyHereSettings: "To these settings",
  paired: "It is paired",

  sayFirst: "Say the first thing",
  otherWords: "Try other words",
  boardExample: "run `date` then `df -h .`",
  showPlans: "Show the plans",
  firstBacklog: "Write down the first",
  firstMemory: "Remember something",
  skillExample: "Save an example",
  skillWhere: "Put the example into ~/.config/mimikit/skills/changelog-style/SKILL.md, and change it as you like.",
  /** A whole SKILL.md (docs/skills.md). */
  skillText:
    "---\nname: changelog-style\ndescription: How this project words its changelog. Use when something is written into CHANGELOG.md.\n---\nOne line for one change, in the words of the user.\n",
  setUp: "Set it up",
  setBudget: "Set a budget",
  allLines: "Show all lines",
};
