/** `GET /api/status`: who answers, who is alive, how much waits. */
import { Status } from "@mimikit/protocol/wire/api";
import { route } from "../api/route.ts";

export const status = route({
  method: "get",
  path: "/api/status",
  summary: "who answers, who is alive, how much waits, and what the owner should look at ([status](#status))",
  status: 200,
  answer: Status,
  handle: async (_asked, { view, statusOf }) => statusOf(await view.refresh()),
});
