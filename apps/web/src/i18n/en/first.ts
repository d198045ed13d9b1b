/** The words of the first steps and of what is empty, in the language of the page. */

export const firstWords = {
  title: "First steps",
  titleHint: "model, permissions, first request, notifications, phone",
  hide: "Hide this",
  done: "done",
  passed: "skipped",
  afterAll: "Do it now",
  notNow: "Not now",

  modelIs: (name: string) => `Model: ${name}`,
  goOnWithout: "Continue without",
  offline:
    "Without a model, the offline engine answers: it runs commands, sets reminders, repeats things and remembers.",
  ask: "Ask for something",
  examples: [
    { text: "What can you do?", why: "everything the assistant understands" },
    { text: "remind me in 20 minutes to stretch", why: "once, also when this page is closed" },
    { text: "every day at 9 run `df -h .`", why: "automatically, until you cancel it" },
  ],
  notifications: "Notifications",
  notificationsText:
    "When the page is in the background, a question or a reminder can show as a notification of this device. Nothing is shown unless you allow it here.",
  notificationsDenied: "The browser blocks them for this address. You can change that in its site settings.",
  phone: "Add another device",
  phoneText:
    "A phone or another browser scans a code, or you type one there. `mimikit pair --qr` prints both in a terminal.",
  onlyHere:
    "With the current settings, only this computer can reach it. A phone can once “publicUrl” is the address of a proxy with TLS, or “host” and “allowedHosts” are an address of your network.",
  onlyHereSettings: "Open these settings",

  sayFirst: "Write the first message",
  otherWords: "Try other words",
  boardExample: "run `date` then `df -h .`",
  showPlans: "Show the plans",
  firstBacklog: "Add the first item",
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
