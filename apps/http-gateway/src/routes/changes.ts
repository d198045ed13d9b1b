/** `/api/changes` and `/api/undo`: what was changed lately, and the command that takes it back (SPEC J3). */

import { CHANGES_KEPT_MAX } from "@mimikit/protocol/records/change";
import { withCodes } from "@mimikit/protocol/texts/coded";
import { Accepted, CHANGES_LISTED_DEFAULT, ChangesAnswer, UndoBody } from "@mimikit/protocol/wire/api";
import { listChanges } from "@mimikit/runtime/config/list-changes";
import { z } from "zod";
import { route } from "../api/route.ts";
import { numberFrom } from "../http/query-fields.ts";

const ChangesQuery = z.strictObject({
  limit: numberFrom(z.number().int().min(1).max(CHANGES_KEPT_MAX)).prefault(CHANGES_LISTED_DEFAULT),
});

export const changes = route({
  method: "get",
  path: "/api/changes",
  summary:
    "the changes that can be undone, newest first; `state` is `open`, `undone` or `gone`, and `problem` says why it is gone or, of a merge that is `open`, why the last undo failed ([undo](undo.md))",
  query: ChangesQuery,
  status: 200,
  answer: ChangesAnswer,
  handle: async ({ query }, { view, fs, cache }) => {
    await view.refresh();
    return { changes: (await listChanges({ fs, cache }, Date.now(), query.limit)).map(withCodes) };
  },
});

export const undo = route({
  method: "post",
  path: "/api/undo",
  summary: "undoes a change; also 202 if it is already undone",
  body: UndoBody,
  takesKey: true,
  status: 202,
  answer: Accepted,
  errors: { 404: "unknown", 409: "it cannot be undone now; the message says what to do" },
  handle: async ({ body, key }, { commands }) => ({ id: await commands.undo(body.id, key) }),
});
