/**
 * The household of the demo, which is invented: what it has said and written before today, what stands in its calendar,
 * and what it orders when the demo begins. Work from before today is written as records; all the rest is asked for and
 * done.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { childId, turnId } from "@mimikit/protocol/base/id";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import type { Effect } from "@mimikit/protocol/records/effect";
import type { Message } from "@mimikit/protocol/records/inbox";
import type { Question } from "@mimikit/protocol/records/question";
import { Result } from "@mimikit/protocol/records/result";
import { blankTask } from "@mimikit/protocol/records/task";
import type { TriggerDefinition } from "@mimikit/protocol/triggers/trigger-order";
import type { HomePlace } from "@mimikit/runtime/home/home";
import { archivePath, BACKLOG_PATH, MEMORY_PATH, PROFILE_PATH, questionPath } from "@mimikit/store/disk/state";

import { writeCommand } from "../instance/write-command.ts";

const HOUR_MS = 3_600_000;
const QUESTION_HOURS = 12;

interface Said {
  hoursAgo: number;
  text: string;
  reply: string;
  asks?: { question: string; options: string[]; default: string };
}

const SAID: readonly Said[] = [
  {
    hoursAgo: 27,
    text: "Remember: Lena cannot eat walnuts, and the beans go into the south bed this year.",
    reply: "Noted, both. I will keep walnuts off every shopping list.",
  },
  {
    hoursAgo: 26,
    text: "What does the garden need this week?",
    reply: `Three things, by day:

| day | what | who |
|---|---|---|
| Tuesday | tie up the tomatoes | Lena |
| Thursday | water all the beds, 40 l each | Tom |
| Saturday | pick the early apples, about 12 crates | everybody |

It will be dry until Friday, so Thursday counts.`,
  },
  {
    hoursAgo: 3,
    text: "Read the three offers for the shed roof in offers.md and tell me which one to take.",
    reply: `I have read all three. **Slate is too heavy** for the old beams, so two are left:

- **shingles** – 2,140 €, done in two days, lasts about 25 years
- **green roof** – 2,980 €, done in four days, keeps the shed cool, lasts about 40 years

Over its life the green roof is the cheaper one: 74.50 € a year against 85.60 €.`,
    asks: {
      question: "Which roof shall the shed have? The offer for the green roof ends tomorrow.",
      options: ["Green roof", "Shingles", "Ask me again tomorrow"],
      default: "Ask me again tomorrow",
    },
  },
];

const MEMORY = `# Memory

- Lena cannot eat walnuts.
- The beans go into the south bed this year.
- Watering day is Thursday, 40 l for each bed.
- The neighbour has the spare key of the shed.
`;

const PROFILE = `# The household

Lena and Tom, two children, a house with a garden of nine beds and a shed that needs a roof. They like short answers.
`;

const BACKLOG = `# Backlog

- [ ] compare the three seed catalogues
- [ ] oil the garden gate
- [x] mend the fence
- [ ] draw the beds of next year
`;

const watering = (bed: string) => `for n in $(seq 20); do echo "${bed}: can $n of 20"; sleep 1; done`;

/** The workspace. Its scripts take as long as a demo needs to be watched. */
const FILES: Readonly<Record<string, string>> = {
  "README.md": "# House and garden\n\nWhat grows where, what it costs, and who waters it.\n",
  "beds.md": "- tomatoes\n- beans\n- pumpkins\n- salad\n- herbs\n- strawberries\n- potatoes\n- leeks\n- flowers\n",
  "offers.md": "- slate: 3,420 €\n- shingles: 2,140 €, 25 years\n- green roof: 2,980 €, 40 years\n",
  "harvest.csv": "fruit,crates,kg\napples,12,228\npears,5,81\nplums,7,98\n",
  "water-tomatoes.sh": watering("tomatoes"),
  "water-beans.sh": watering("beans"),
  "water-pumpkins.sh": watering("pumpkins"),
  "water-leeks.sh": watering("leeks"),
  "weigh-crates.sh": 'for n in $(seq 24); do echo "crate $n: $((14 + n % 7)) kg"; sleep 1; done',
  "read-barrel.sh": 'sleep 10; echo "the rain barrel holds 180 of 300 litres"',
};

/** The orders that the demo begins with. */
const ORDERS: readonly string[] = [
  "run `wc -l beds.md` then `cut -d, -f1,3 harvest.csv`",
  "run `sh water-tomatoes.sh` then `sh water-beans.sh` then `sh water-pumpkins.sh` then `sh water-leeks.sh` then `echo all beds are watered`",
  "run `sh weigh-crates.sh` then `sh weigh-crates.sh` then `sh weigh-crates.sh` then `echo all crates are weighed`",
];

const daily = (cron: string) => ({ type: "recurring", schedule: { cron, timezone: "UTC" } }) as const;

/** Its schedules. */
const TRIGGERS: readonly TriggerDefinition[] = [
  {
    order: { title: "Read the rain barrel", prompt: "run `sh read-barrel.sh`" },
    when: { type: "recurring", schedule: { interval: 6 * 3_600 } },
  },
  { order: { title: "Water the beds", prompt: "remind me to water the beds" }, when: daily("0 0 18 * * 4") },
  { order: { title: "Put the bins out", prompt: "remind me to put the bins out" }, when: daily("0 30 19 * * 1") },
  {
    order: { title: "Weigh a new harvest", prompt: "run `wc -l harvest.csv`" },
    when: { type: "conditional", condition: { type: "file_changed", params: { path: "harvest.csv" } } },
  },
];

/** Writes what was there before today. Throws what the disk throws. @param nowMs wall clock. */
export function furnish({ home, workDir }: HomePlace, nowMs: number): void {
  const turns = SAID.map((said, i) => turnOf(i + 1, said, nowMs));
  for (const { result, message, question } of turns) {
    write(home, archivePath(message.id), message);
    write(home, archivePath(result.id), Result.parse(result));
    if (question !== null) write(home, questionPath(question.id), question);
  }
  write(home, MEMORY_PATH, MEMORY);
  write(home, PROFILE_PATH, PROFILE);
  write(home, BACKLOG_PATH, BACKLOG);
  for (const [name, text] of Object.entries(FILES)) write(workDir, name, text);
}

/** Orders what happens today, once its processes run. @param home of the household. Throws as `writeCommand` does. */
export async function orderWork(home: string): Promise<void> {
  for (const definition of TRIGGERS) await writeCommand(home, { kind: "trigger-put", definition });
  for (const text of ORDERS) await writeCommand(home, { kind: "message", text, mode: "next" });
}

function turnOf(n: number, { hoursAgo, text, reply, asks }: Said, nowMs: number) {
  const id = turnId(n);
  const at = new Date(nowMs - hoursAgo * HOUR_MS).toISOString();
  const message: Message = { kind: "message", id: `m-demo-${n}`, at, text };
  const effects: Effect[] = [{ type: "reply", text: reply }];
  if (asks !== undefined) effects.push({ type: "ask_user", ...asks, timeoutSec: QUESTION_HOURS * 3_600 });
  const result: Result = {
    id,
    task: {
      ...blankTask("turn"),
      id,
      title: "turn",
      prompt: "",
      priority: 5,
      createdAt: at,
      traceId: id,
      turn: { messages: [message], events: [], results: [] },
    },
    status: "done",
    resultType: "turn",
    result: {},
    effects,
    attempts: 1,
    completedAt: at,
    usage: NO_USAGE,
  };
  const question: Question | null =
    asks === undefined
      ? null
      : {
          id: childId(id, 1),
          at,
          expiresAt: new Date(Date.parse(at) + QUESTION_HOURS * HOUR_MS).toISOString(),
          ...asks,
          purpose: { type: "teller" },
          traceId: id,
        };
  return { result, message, question };
}

function write(directory: string, path: string, content: string | object): void {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  mkdirSync(dirname(join(directory, path)), { recursive: true, mode: 0o700 });
  writeFileSync(join(directory, path), text.endsWith("\n") ? text : `${text}\n`, { mode: 0o600 });
}
