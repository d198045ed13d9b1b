/**
 * `POST /api/pair` turns a one-time code into a session of this browser, `POST /api/sign-out` ends it
 * (docs/security.md#signing-in).
 */
import { coded } from "@mimikit/protocol/texts/coded";
import { NoBody, PairAnswer, PairBody, PairingAnswer } from "@mimikit/protocol/wire/api";
import { createPairing, isTyped, redeemPairingCode } from "@mimikit/runtime/home/pairing";
import { route } from "../api/route.ts";
import { deviceName } from "../auth/device-name.ts";
import { HttpProblem } from "../http/problem.ts";

/** The only mutating route that needs no credential: the code is one. */
export const pair = route({
  method: "post",
  path: "/api/pair",
  summary: "exchanges a one-time code for a session of this browser: a cookie, and the secret that goes with it",
  body: PairBody,
  isOpen: true,
  status: 200,
  answer: PairAnswer,
  errors: { 401: "unknown code", 410: "used or expired", 429: "too many unknown codes" },
  handle: async ({ body, request, response }, { home, auth, sessions, log }) => {
    // A long code cannot be guessed: who has it comes in, whatever others behind the same address have tried.
    if (isTyped(body.code)) auth.throwIfLocked(request);
    const redemption = await redeemPairingCode(home, body.code);
    const hint = "Run `mimikit pair` for a new link.";
    if (redemption === "unknown") auth.refuse(request, new HttpProblem(401, coded("code_unknown"), { hint }));
    if (redemption !== "paired") throw new HttpProblem(410, coded("code_over", { how: redemption }), { hint });
    const { cookie, secret } = await sessions.create(deviceName(request.headers["user-agent"]), Date.now());
    log.audit({ event: "session_created" });
    response.setHeader("Set-Cookie", auth.setCookie(cookie, request));
    return { secret };
  },
});

/** Another device is added from a browser that is signed in, as from the terminal with `mimikit pair`. */
export const addDevice = route({
  method: "post",
  path: "/api/pairings",
  summary:
    "creates two codes that each sign in one more browser, once: `code` for the fragment of an address (`#pair=`), `typed` to be typed; `publicUrl` is the page's address for other devices, if one is set",
  body: NoBody,
  status: 201,
  answer: PairingAnswer,
  handle: async (_asked, { home, log, publicUrl }) => {
    const pairing = await createPairing(home);
    log.audit({ event: "pairing_created" });
    return { ...pairing, publicUrl };
  },
});

/** Ends the session of the cookie, and every socket that was opened with it. */
export const signOut = route({
  method: "post",
  path: "/api/sign-out",
  summary: "ends the session of this browser",
  body: NoBody,
  status: 204,
  handle: async ({ request, response }, { auth, sessions, live, log }) => {
    const session = await sessions.revoke(auth.cookieOf(request));
    if (session !== null) {
      live.signOut(session);
      log.audit({ event: "session_ended" });
    }
    response.setHeader("Set-Cookie", auth.clearCookie());
  },
});
