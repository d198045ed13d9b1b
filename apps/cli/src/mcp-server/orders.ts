/** The tools `remember` and `schedule`: they act at once, without a model, as `mimikit memory add` and `mimikit triggers add` do. */
import { triggerIdOf } from "@mimikit/core/triggers/of-command";
import { definitionOf, problemOf } from "@mimikit/core/triggers/triggers";
import { REMEMBER_CHARS_MAX } from "@mimikit/protocol/records/effect";
import { TriggerInput } from "@mimikit/protocol/triggers/trigger-order";
import { z } from "zod";
import { ask, type CommandAnswer } from "../instance/write-command.ts";
import { Failure } from "../io/failure.ts";
import { personZoneHere } from "../io/person-zone.ts";
import { currentPlace } from "../io/place.ts";
import { type AddTool, answered, CallId } from "./tool-answer.ts";

const Kept = z.object({
  id: z.string(),
  outcome: z.string().describe("what became of it"),
});

/** Where Mimikit does not run, it takes it up when it does. */
function kept({ id, outcome }: CommandAnswer): z.infer<typeof Kept> {
  return { id, outcome: outcome ?? "kept until Mimikit runs again" };
}

export const addRemember: AddTool = (server) => {
  server.registerTool(
    "remember",
    {
      title: "Remember for the user",
      description: "Write something down in Mimikit's memory, so that it is known in every later conversation.",
      inputSchema: z.object({
        content: z.string().trim().min(1).max(REMEMBER_CHARS_MAX),
        longTerm: z.boolean().default(false).describe("true: a fact that stays true; false: a note of today"),
        id: CallId,
      }),
      outputSchema: Kept,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    async ({ content, longTerm, id }) => {
      const command = { kind: "memory-add" as const, content, longTerm };
      return answered(kept(await ask(currentPlace().home, command, keyOf("remember", id))));
    },
  );
};

const { prompt, title, interval, cron, timezone, runAt, missed } = TriggerInput.shape;

export const addSchedule: AddTool = (server) => {
  server.registerTool(
    "schedule",
    {
      title: "Schedule work",
      description:
        "Let Mimikit do something later or again and again, by exactly one of interval (seconds), cron (six fields, with seconds) and " +
        "runAt (ISO 8601 with zone). For conditions, say it with ask.",
      inputSchema: z.object({ prompt, title, interval, cron, timezone, runAt, missed, id: CallId }),
      outputSchema: Kept.extend({ triggerId: z.string() }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    async ({ id, ...order }) => {
      const definition = definitionOf(order, personZoneHere());
      if ("problem" in definition) throw new Failure("usage", definition.problem);
      const problem = problemOf(definition.when, Date.now());
      if (problem !== null) throw new Failure("usage", problem);
      const asked = await ask(currentPlace().home, { kind: "trigger-put", definition }, keyOf("schedule", id));
      return answered({ ...kept(asked), triggerId: triggerIdOf(asked.id) });
    },
  );
};

function keyOf(tool: string, id: string | undefined): string | undefined {
  return id === undefined ? undefined : `mcp ${tool} ${id}`;
}
