/** `GET /api/audit?after=|before=&limit=&actor=`: what the processes have done, in order of time. */

import { Actor } from "@mimikit/protocol/records/audit";
import { coded } from "@mimikit/protocol/texts/coded";
import { AUDIT_ENTRIES_DEFAULT, AUDIT_ENTRIES_MAX, AuditAnswer } from "@mimikit/protocol/wire/api";
import { parsePosition, readAfter, readBefore } from "@mimikit/runtime/audit/audit-trail";
import { PROCESS_ROLES } from "@mimikit/runtime/process/role-record";
import { z } from "zod";
import { route } from "../api/route.ts";
import { HttpProblem } from "../http/problem.ts";
import { numberFrom } from "../http/query-fields.ts";

const Place = z.string().transform((text, context) => {
  const position = parsePosition(text);
  if (position !== null) return position;
  context.addIssue({ code: "custom", message: "a place in the audit log is the `next` or `previous` of an answer" });
  return z.NEVER;
});
const AuditQuery = z.strictObject({
  after: Place.optional(),
  before: Place.optional(),
  limit: numberFrom(z.number().int().min(1).max(AUDIT_ENTRIES_MAX)).prefault(AUDIT_ENTRIES_DEFAULT),
  actor: Actor.optional(),
});

export const audit = route({
  method: "get",
  path: "/api/audit",
  summary:
    "audit lines in order of time; the newest without `after` or `before`. `next` is the `after` for later lines, `previous` the `before` for earlier ones, null at the beginning; `actor` is one of supervisor, workers, gateway",
  query: AuditQuery,
  status: 200,
  answer: AuditAnswer,
  handle: ({ query: { after, before, limit, actor } }, { home }) => {
    if (after !== undefined && before !== undefined) throw new HttpProblem(400, coded("one_audit_place"));
    const actors = actor === undefined ? PROCESS_ROLES : [actor];
    return after === undefined
      ? readBefore(home, before ?? null, limit, actors)
      : readAfter(home, after, limit, actors);
  },
});
