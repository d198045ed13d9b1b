/** `GET /api/status`: who answers, who is alive, how much waits. */
import { Status } from "@mimikit/protocol/wire/api";
import { route } from "../api/route.ts";

export const status = route({
  method: "get",
  path: "/api/status",
  summary: "providers, processes, counts of waiting work, and problems for the owner ([status](#status))",
  status: 200,
  answer: Status,
  handle: async (_asked, { view, statusOf }) => statusOf(await view.refresh()),
});
