/** Starts the processes again. The user is always asked first (SPEC G). */
import type { EffectOf } from "@mimikit/protocol/records/effect";
import { z } from "zod";
import { tool } from "./tool.ts";

export const restartServer = tool({
  name: "restart_server",
  level: "process-control",
  input: z.strictObject({}).describe("Restart Mimikit itself."),
  refuse: (_, { effects }) =>
    effects.some((effect) => effect.type === "restart_server") ? "the user is asked for a restart already" : null,
  effect: (): EffectOf<"restart_server"> => ({ type: "restart_server" }),
});
