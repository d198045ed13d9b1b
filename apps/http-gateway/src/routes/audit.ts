/** `GET /api/audit?after=|before=&limit=&actor=`: what the processes have done, in order of time. */
import { AUDIT_ENTRIES_DEFAULT, AUDIT_ENTRIES_MAX, type AuditAnswer } from "@mimikit/protocol/api";
import { AuditLine } from "@mimikit/protocol/audit";
import { parsePosition, readAfter, readBefore } from "@mimikit/runtime/audit-trail";
import { PROCESS_ROLES } from "@mimikit/runtime/role-record";
import type { Request, Response } from "express";
import { z } from "zod";
import { checkedAs } from "../limits.ts";
import { Problem } from "../problem.ts";

const Place = z.string().transform((text, context) => {
  const position = parsePosition(text);
  if (position !== null) return position;
  context.addIssue({ code: "custom", message: "a place in the audit log is the `next` or `previous` of an answer" });
  return z.NEVER;
});
const AuditQuery = z.strictObject({
  after: Place.optional(),
  before: Place.optional(),
  limit: z.coerce.number().int().min(1).max(AUDIT_ENTRIES_MAX).default(AUDIT_ENTRIES_DEFAULT),
  actor: AuditLine.shape.actor.optional(),
});

export function audit(home: string) {
  return (request: Request, response: Response): void => {
    const { after, before, limit, actor } = checkedAs(AuditQuery, request.query);
    if (after !== undefined && before !== undefined) throw new Problem(400, "either after or before, not both");
    const actors = actor === undefined ? PROCESS_ROLES : [actor];
    const answer: AuditAnswer =
      after === undefined ? readBefore(home, before ?? null, limit, actors) : readAfter(home, after, limit, actors);
    response.json(answer);
  };
}
