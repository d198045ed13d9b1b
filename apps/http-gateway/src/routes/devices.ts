/** `/api/devices`: the browsers and clients that are signed in, making a token for a client, and ending either (docs/security.md#signing-in). */
import { coded } from "@mimikit/protocol/texts/coded";
import { Accepted, ClientAdded, ClientBody, DevicesAnswer } from "@mimikit/protocol/wire/api";
import { route } from "../api/route.ts";
import { IdParams } from "../http/params.ts";
import { HttpProblem } from "../http/problem.ts";

export const devices = route({
  method: "get",
  path: "/api/devices",
  summary:
    "the browsers and clients that are signed in, the last seen first; `name` is how a browser names itself, or your name for a client; `isThis` marks the caller",
  status: 200,
  answer: DevicesAnswer,
  handle: async ({ request }, { auth, push, sessions }) => {
    const caller = await auth.identify(request);
    const all = await sessions.list(Date.now());
    const sender = await push.loaded();
    return {
      devices: all.map((each) => {
        const refused = sender?.refusedOf(each.id);
        return {
          ...each,
          isThis: caller.kind === "page" && caller.session === each.id,
          push: refused === undefined ? null : { refused },
        };
      }),
    };
  },
});

export const addClient = route({
  method: "post",
  path: "/api/devices",
  summary:
    "creates a token for a client of `/v1` ([clients](clients.md)): `token` is shown only here, and is valid only for `/v1`",
  body: ClientBody,
  status: 201,
  answer: ClientAdded,
  errors: { 409: "there are 100 clients" },
  handle: async ({ body: { name } }, { sessions, log }) => {
    const added = await sessions.addClient(name, Date.now());
    if (added === null) throw new HttpProblem(409, coded("clients_full"), { hint: "Revoke one of them first." });
    log.audit({ event: "client_added", detail: { name } });
    return added;
  },
});

export const signOutDevice = route({
  method: "delete",
  path: "/api/devices/:id",
  summary: "signs that browser out and closes its sockets, or revokes the token of that client",
  params: IdParams,
  status: 200,
  answer: Accepted,
  errors: { 404: "unknown" },
  handle: async ({ params: { id } }, { sessions, live, log }) => {
    if (!(await sessions.end(id))) throw new HttpProblem(404, coded("device_unknown"));
    live.signOut(id);
    log.audit({ event: "session_ended" });
    return { id };
  },
});
