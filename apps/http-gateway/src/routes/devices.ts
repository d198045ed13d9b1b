/** `/api/devices`: the browsers that are signed in, and signing one out from another (docs/security.md#signing-in). */
import { coded } from "@mimikit/protocol/texts/coded";
import { Accepted, DevicesAnswer } from "@mimikit/protocol/wire/api";
import { route } from "../api/route.ts";
import { IdParams } from "../http/params.ts";
import { Problem } from "../http/problem.ts";

export const devices = route({
  method: "get",
  path: "/api/devices",
  summary:
    "the browsers that are signed in, the one that was seen last first; `name` is what each calls itself, `isThis` the one that asks",
  status: 200,
  answer: DevicesAnswer,
  handle: async ({ request }, { auth, sessions }) => {
    const caller = await auth.identify(request);
    const all = await sessions.list(Date.now());
    return { devices: all.map((each) => ({ ...each, isThis: caller.kind === "page" && caller.session === each.id })) };
  },
});

export const signOutDevice = route({
  method: "delete",
  path: "/api/devices/:id",
  summary: "signs that browser out, and ends its sockets",
  params: IdParams,
  status: 200,
  answer: Accepted,
  errors: { 404: "unknown" },
  handle: async ({ params: { id } }, { sessions, live, log }) => {
    if (!(await sessions.end(id))) throw new Problem(404, coded("device_unknown"));
    live.signOut(id);
    log.audit({ event: "session_ended" });
    return { id };
  },
});
