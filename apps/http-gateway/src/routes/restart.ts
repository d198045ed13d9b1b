/** `POST /api/restart`: the processes start again; 202 once the command is durable. */
import { Accepted, NoBody } from "@mimikit/protocol/wire/api";
import { route } from "../api/route.ts";

export const restart = route({
  method: "post",
  path: "/api/restart",
  summary: "restarts the processes, once",
  body: NoBody,
  status: 202,
  answer: Accepted,
  handle: async (_asked, { commands }) => ({ id: await commands.restart() }),
});
