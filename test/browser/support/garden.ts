/** A garden: an instance with so much to tell that every view of the page has something to show. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { dayOf } from "@mimikit/protocol/base/usage";
import type { Instance } from "../../support/instance.ts";

const TRIGGERS = [
  { title: "Water the beds", prompt: "remind me to water the beds", cron: "0 0 9 * * 1-5", timezone: "UTC" },
  { title: "Run the tests", prompt: "run `npm test`", interval: 7_200 },
  { title: "Back up the notes", prompt: "run `ls`", cron: "0 30 18 * * 5", timezone: "UTC" },
  {
    title: "Look at the plan",
    prompt: "run `wc -l plan.md`",
    condition: { type: "file_changed", params: { path: "plan.md" } },
  },
  {
    title: "Announce the harvest",
    prompt: "remind me to announce the harvest",
    condition: {
      type: "and",
      conditions: [
        { type: "file_exists", params: { path: "harvest/weighed" } },
        {
          type: "or",
          conditions: [
            { type: "file_changed", params: { path: "harvest/**/*.md" } },
            { type: "not", condition: { type: "time", params: { weekdays: ["sat", "sun"], timezone: "UTC" } } },
          ],
        },
      ],
    },
  },
];

/** Work that looks like work: what is listed comes first, some of the rest takes its time, and one of it fails. */
const SCRIPTS = {
  "list-beds": "sleep 2; ls",
  "count-seeds": "sleep 4; grep -c . plan.md",
  "check-links": "sleep 3; echo 'plan.md: the link to compost.md is dead'; exit 1",
  "water-beds": "for n in $(seq 240); do echo watering bed $n; sleep 1; done",
  "weigh-crates": "for n in $(seq 240); do echo weighing crate $n; sleep 1; done",
  "sum-up": "sleep 6; wc -w README.md",
};
const [FIRST, ...REST] = Object.keys(SCRIPTS).map((name) => `\`sh ${name}.sh\``);
const PLAN = `run ${FIRST} then ${REST.join(" and ")}`;

const BACKLOG = ["compare the three seed catalogues", "mend the fence", "draw the beds of next year"];

/** The costs of each model on the last days, so that the chart has something to show. */
const SPENT = [3, 9, 14, 6, 0, 2, 11, 18, 7, 12, 16, 4, 0, 21].map((thousands, daysAgo) => ({ thousands, daysAgo }));

/** Resolves when all work of it is under way; some of that goes on for minutes. */
export async function fillGarden(mimikit: Instance): Promise<void> {
  spend(mimikit);
  writeFileSync(join(mimikit.workDir, "README.md"), "# Garden\n\nWhat grows where, and when to water it.\n");
  writeFileSync(join(mimikit.workDir, "plan.md"), "- tomatoes\n- basil\n");
  for (const [name, script] of Object.entries(SCRIPTS))
    writeFileSync(join(mimikit.workDir, `${name}.sh`), `${script}\n`);
  const command = (what: string, body: object) => mimikit.api(`/api/${what}`, { method: "POST", body });
  for (const trigger of TRIGGERS) await command("triggers", trigger);
  for (const item of BACKLOG) await command("backlog", { op: "add", item });
  await command("backlog", { op: "done", item: BACKLOG[1] });
  await mimikit.replyTo(await mimikit.send("remember that watering day is Thursday"));
  await mimikit.replyTo(await mimikit.send("run `ls` then `wc -l README.md`"));
  await mimikit.replyWith("3 README.md");
  await mimikit.replyTo(await mimikit.send(PLAN));
}

/** Writes what runs would have cost. */
function spend(mimikit: Instance): void {
  for (const { thousands, daysAgo } of SPENT) {
    if (thousands === 0) continue;
    const at = new Date(Date.now() - daysAgo * 86_400_000);
    const lines = (["teller", "worker"] as const).map((role, i) =>
      JSON.stringify({
        at: at.toISOString(),
        taskId: `t-9${String(daysAgo).padStart(5, "0")}.${i}`,
        attempt: 1,
        role,
        provider: "openai",
        model: "a-model",
        inputTokens: thousands * 700 * (i + 1),
        cachedTokens: thousands * 300,
        outputTokens: thousands * 120,
        costUsd: thousands * 0.004 * (i + 1),
      }),
    );
    writeFileSync(join(mimikit.home, "usage", `${dayOf(at.getTime())}.jsonl`), `${lines.join("\n")}\n`);
  }
}
