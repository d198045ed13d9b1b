/** `/api/push`: notifications by Web Push, of the browser that asks (docs/notifications.md#web-push). */
import { coded } from "@mimikit/protocol/texts/coded";
import { Accepted, NoBody } from "@mimikit/protocol/wire/api";
import { PushAnswerBody, PushBody, PushKeyAnswer } from "@mimikit/protocol/wire/push";
import type { Request } from "express";
import type { RouteDeps } from "../api/parts.ts";
import { route } from "../api/route.ts";
import { HttpProblem } from "../http/problem.ts";

export const pushKey = route({
  method: "post",
  path: "/api/push/key",
  summary: "the key with which browsers subscribe at their push service; created at the first call",
  body: NoBody,
  status: 200,
  answer: PushKeyAnswer,
  errors: { 409: "the state directory is not adopted" },
  handle: async (_asked, { push }) => ({ publicKey: (await push.sender()).publicKey }),
});

export const subscribe = route({
  method: "post",
  path: "/api/push",
  summary:
    "turns on Web Push for this browser, under the `id` of its session; `subscription` comes from its push service",
  body: PushBody,
  status: 200,
  answer: Accepted,
  errors: { 409: "not from a browser that is signed in, or the state directory is not adopted" },
  handle: async ({ request, body }, parts) => {
    const device = await deviceOf(request, parts);
    const [sender, state] = [await parts.push.sender(), await parts.view.refresh()];
    const isUsable = await sender.subscribe(device, body, request.headers.origin ?? "", state);
    if (!isUsable) throw new HttpProblem(400, coded("push_key_wrong"));
    return { id: device };
  },
});

export const unsubscribe = route({
  method: "delete",
  path: "/api/push",
  summary: "turns off Web Push for this browser",
  status: 200,
  answer: Accepted,
  errors: { 404: "this browser is not notified", 409: "not from a browser that is signed in" },
  handle: async ({ request }, parts) => {
    const device = await deviceOf(request, parts);
    if (!(await (await parts.push.loaded())?.unsubscribe(device))) throw new HttpProblem(404, coded("push_off"));
    return { id: device };
  },
});

export const testPush = route({
  method: "post",
  path: "/api/push/test",
  summary: "sends this browser a notification, and answers once its push service has accepted it",
  body: NoBody,
  status: 200,
  answer: Accepted,
  errors: {
    404: "this browser is not notified",
    409: "not from a browser that is signed in, or the push service did not accept it",
  },
  handle: async ({ request }, parts) => {
    const device = await deviceOf(request, parts);
    const delivery = (await (await parts.push.loaded())?.test(device)) ?? null;
    if (delivery === null) throw new HttpProblem(404, coded("push_off"));
    if (delivery.outcome === "taken") return { id: device };
    const name = "status" in delivery ? `HTTP ${delivery.status}` : delivery.reason;
    throw new HttpProblem(409, coded("push_refused", { name }));
  },
});

/** A service worker has the cookie, and not the secret of the page: the proof in the notification is good for one question. */
export const answerPush = route({
  method: "post",
  path: "/api/push/answer",
  summary:
    "answers a question by a button of its notification; requires the cookie and the `proof` of that notification",
  body: PushAnswerBody,
  isOpen: true,
  status: 202,
  answer: Accepted,
  errors: { 401: "the proof does not belong to this browser and question", 404: "unknown", 410: "closed" },
  handle: async ({ request, body: { questionId, option, proof } }, { auth, push, sessions, commands }) => {
    const device = await sessions.ofCookie(auth.cookieOf(request), Date.now());
    const sender = await push.loaded();
    if (device === null || sender?.mayAnswer(device, questionId, proof) !== true)
      return auth.refuse(
        request,
        new HttpProblem(401, coded("push_proof_wrong"), { hint: "Open the page to answer." }),
      );
    return { id: await commands.choose(questionId, option, `push ${device} ${questionId} ${option}`) };
  },
});

/** The session of the page that asks. @throws HttpProblem 409 for a script. */
async function deviceOf(request: Request, { auth }: RouteDeps): Promise<string> {
  const caller = await auth.identify(request);
  if (caller.kind === "page") return caller.session;
  throw new HttpProblem(409, coded("push_needs_page"), { hint: "Turn it on in the settings of the page." });
}
