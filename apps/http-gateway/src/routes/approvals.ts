/** `/api/approvals`: the commands that the owner has allowed for good, and the command that ends one (docs/autonomy.md). */
import { withHolds } from "@mimikit/core/tasks/lasting-commands";
import { Accepted, ApprovalsAnswer } from "@mimikit/protocol/wire/api";
import { readApprovals } from "@mimikit/store/views/approvals";
import { route } from "../api/route.ts";
import { IdParams } from "../http/params.ts";

export const approvals = route({
  method: "get",
  path: "/api/approvals",
  summary: "the commands that run without asking, by their first words, oldest first",
  status: 200,
  answer: ApprovalsAnswer,
  handle: async (_asked, { fs }) => ({ approvals: withHolds(await readApprovals(fs)) }),
});

export const removeApproval = route({
  method: "delete",
  path: "/api/approvals/:id",
  summary: "revokes an approval: such commands ask again",
  params: IdParams,
  takesKey: true,
  status: 202,
  answer: Accepted,
  errors: { 404: "unknown" },
  handle: async ({ params, key }, { commands }) => ({ id: await commands.revoke(params.id, key) }),
});
