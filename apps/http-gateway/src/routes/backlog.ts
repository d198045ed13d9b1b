/** `/api/backlog`: the checkboxes of backlog.md, and the command that changes them. */

import { BadJson } from "@mimikit/protocol/base/json";
import { coded } from "@mimikit/protocol/texts/coded";
import { Accepted, BacklogAnswer, BacklogBody } from "@mimikit/protocol/wire/api";
import { readBacklog } from "@mimikit/store/documents/backlog";
import { route } from "../api/route.ts";
import { HttpProblem } from "../http/problem.ts";

export const backlog = route({
  method: "get",
  path: "/api/backlog",
  summary: "the backlog, in the order of its file",
  status: 200,
  answer: BacklogAnswer,
  errors: { 503: "the file is not a list" },
  handle: async (_asked, { fs }) => {
    try {
      return { items: await readBacklog(fs) };
    } catch (error) {
      if (!(error instanceof BadJson)) throw error;
      throw new HttpProblem(503, coded("backlog_unreadable", { detail: error.message }));
    }
  },
});

/** Whether there is such an item is seen when the command is carried out. */
export const editBacklog = route({
  method: "post",
  path: "/api/backlog",
  summary:
    "changes the backlog; `op` is `add`, `done` or `remove`, `item` is the text or number of an item. The outcome is in `archive/<id>.json`",
  body: BacklogBody,
  takesKey: true,
  status: 202,
  answer: Accepted,
  handle: async ({ body, key }, { commands }) => ({ id: await commands.editBacklog(body, key) }),
});
