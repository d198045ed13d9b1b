/** Every address of the page, and so much behind each of them that views are as full as in real life. */
import type { Condition } from "@mimikit/protocol/triggers/condition";
import type { SkillList, TaskDetail } from "@mimikit/protocol/wire/api";
import type { TaskFilesAnswer } from "@mimikit/protocol/wire/task-files";
import type { TranscriptAnswer } from "@mimikit/protocol/wire/transcript";
import type { SettingSection } from "../../../apps/web/src/i18n/setting-words.ts";
import { describeProviders } from "./connections.ts";
import { messageRecord, questionRecord, taskRecord, triggerRecord } from "./records.ts";
import type { ScriptedGateway } from "./scripted-gateway.ts";
import { VIEWS } from "./view-list.ts";
import { fill, usageRow } from "./views.ts";

/** Of the form of the settings; each unfolds at its address. */
const SECTIONS = {
  budget: 1,
  prices: 1,
  selfImprove: 1,
  time: 1,
  outage: 1,
  others: 1,
} satisfies Record<SettingSection, number>;

/** Every view, and what else has an address. */
export const ADDRESSES = [
  ...VIEWS,
  "search/beds",
  "tasks/timeline",
  "tasks/t-000001.0",
  "tasks/t-000001.0.1",
  "triggers/new",
  "memory/memory.md",
  "triggers/trg-if",
  "settings/connect",
  ...Object.keys(SECTIONS).map((section) => `settings/${section}`),
];

const HOUR_MS = 3_600_000;
const USAGE = { inputTokens: 12_000, cachedTokens: 0, outputTokens: 900, costUsd: 0.04, toolCalls: { bash: 3 } };
const REPLY = `# Beds

The **third** bed is dry, see \`memory.md\`. [How to water](https://example.com/water)

1. Open the tap.

\`\`\`ts
const beds: number = 12;
\`\`\`

2. Close it.

| bed | litres |
|---|---:|
| north | 12 |

> Never at noon.
`;

/** Something in every view, in every part of it, and in the conversation. */
export function fillAll(gateway: ScriptedGateway): void {
  fill(gateway);
  fillConversation(gateway);
  fillTask(gateway);
  fillTriggers(gateway);
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * HOUR_MS).toISOString().slice(0, 10);
  const rows = [0, 1, 2, 3, 5, 8].map((days) =>
    usageRow({ day: daysAgo(days), inputTokens: 900 * days, costUsd: 0.1 }),
  );
  gateway.answers.set("/api/usage", { rows });
  const { skills, problems } = gateway.answers.get("/api/skills") as SkillList;
  const many = Array.from({ length: 12 }, (_, i) => skills.map((skill) => ({ ...skill, name: `${skill.name}-${i}` })));
  gateway.answers.set("/api/skills", { skills: many.flat(), problems });
  describeProviders(gateway);
}

function fillConversation(gateway: ScriptedGateway): void {
  const answered = { answers: ["m-1"], provider: "openai", model: "a-model", usage: USAGE };
  const reply = { id: "t-000001.reply", role: "assistant" as const, text: REPLY, ...answered };
  gateway.message(messageRecord({ ...reply, taskIds: ["t-000001.0"], triggers: [{ id: "trg-1", title: "Stretch" }] }));
  gateway.message(messageRecord({ id: "m-2", role: "user", text: "and now?", quote: "t-000001.reply" }));
  const problem = { cause: "key", provider: "openai", model: "a-model", host: "api.example" } as const;
  const failed = { id: "t-000002.reply", role: "assistant" as const, text: "I could not finish this reply." };
  gateway.message(messageRecord({ ...failed, answers: ["m-2"], problem }));
  gateway.question(questionRecord({ id: "t-000009.0", question: "Which colour?", options: ["red", "blue"] }));
}

/** A plan of which one task is over, one runs and one has failed. */
function fillTask(gateway: ScriptedGateway): void {
  const at = new Date(Date.now() - HOUR_MS).toISOString();
  const plan = taskRecord({ id: "t-000001.0", title: "Plan", role: "planner", state: "done", usage: USAGE });
  gateway.answers.set(`/api/tasks/${plan.id}`, { ...plan, result: null, upstream: [], timeline: [] });
  gateway.task(taskRecord({ id: "t-000003.0", title: "Weigh `crates`", state: "failed", error: "exit code 1" }));
  const second = taskRecord({
    ...{ id: "t-000001.0.1", title: "Second", state: "running", after: ["t-000001.0.0"], attempts: 1 },
    ...{ startedAt: at, provider: "openai", model: "a-model", usage: USAGE },
  });
  gateway.task(second);
  gateway.answers.set(`/api/tasks/${second.id}`, {
    ...second,
    resultType: "analysis",
    result: { findings: ["It leaks"], recommendations: ["Close it"] },
    upstream: [{ id: "t-000001.0.0", title: "First", role: "worker", status: "done", resultType: "text", result: {} }],
    timeline: [
      { at, event: "created" },
      { at, event: "attempt 1 started" },
    ],
  } satisfies TaskDetail);
  const long = Array.from({ length: 40 }, (_, i) => `line ${i}`).join("\n");
  gateway.answers.set(`/api/tasks/${second.id}/transcript`, {
    lines: [
      { type: "begin", at, attempt: 1 },
      { type: "thought", at, text: "It may be empty." },
      { type: "call", at, id: "1", tool: "bash", input: "ls beds" },
      { type: "output", at, id: "1", ok: false, text: "ls: no such folder\n" },
      { type: "said", at, text: "There are **no** beds." },
      { type: "call", at, id: "2", tool: "bash", input: "seq 40" },
      { type: "output", at, id: "2", ok: true, text: long },
    ],
    next: 7,
    isCut: true,
  } satisfies TranscriptAnswer);
  gateway.answers.set(`/api/tasks/${second.id}/files`, {
    files: [
      { path: "beds/report.md", change: "made", bytes: 9, edits: [] },
      { path: "a.ts", change: "changed", bytes: 9, edits: [{ before: "const a = 1;", after: "const a = 2;" }] },
      { path: "old.md", change: "deleted", bytes: null, edits: [] },
    ],
  } satisfies TaskFilesAnswer);
}

/** A condition of several parts in its form, and a week in which much falls due, some of it at once. */
function fillTriggers(gateway: ScriptedGateway): void {
  const parts = [
    { type: "file_changed", params: { path: "src/**/*.ts" } },
    { type: "not", condition: { type: "time", params: { weekdays: ["sat"], after: "22:00", timezone: "UTC" } } },
    { type: "or", conditions: [{ type: "llm_eval", params: { prompt: "Is it done?" } }] },
  ] satisfies Condition[];
  const condition: Condition = { type: "and", conditions: parts };
  gateway.trigger(triggerRecord({ id: "trg-if", type: "conditional", next: null, condition }));
  gateway.trigger(triggerRecord({ id: "trg-2", title: "Water the beds", paused: true }));
  const firings = Array.from({ length: 24 }, (_, i) => ({
    triggerId: `trg-${i % 2 === 0 ? 1 : i}`,
    local: "",
    collidesWith: i % 5 === 0 ? ["trg-2"] : [],
    expected: null,
    title: `Stretch ${i}`,
    at: new Date(Date.now() + (i + 1) * 5 * HOUR_MS).toISOString(),
  }));
  gateway.answers.set("/api/triggers/simulate", {
    from: "",
    to: "",
    firings,
    isCut: true,
    expected: { tokens: 1_200, costUsd: 0 },
    conditional: [{ triggerId: "trg-if", title: "trg-if" }],
  });
}
