/** `POST /api/pair` turns a one-time code into a session of this browser, `POST /api/sign-out` ends it (API.md, Signing in). */
import type { Log } from "@mimikit/runtime/log";
import { redeemPairingCode } from "@mimikit/runtime/pairing";
import type { Request, Response } from "express";
import { z } from "zod";
import type { Auth } from "../auth.ts";
import { NoBody, readBody } from "../limits.ts";
import type { Live } from "../live.ts";
import { Problem } from "../problem.ts";
import type { Sessions } from "../sessions.ts";

const CODE_CHARS_MAX = 256;
const PairBody = z.strictObject({ code: z.string().min(1).max(CODE_CHARS_MAX) });

export interface SigningInParts {
  home: string;
  auth: Auth;
  sessions: Sessions;
  live: Live;
  log: Log;
}

/** The only mutating route that needs no credential: the code is one. */
export function pair({ home, auth, sessions, log }: SigningInParts) {
  return async (request: Request, response: Response): Promise<void> => {
    const { code } = await readBody(request, PairBody);
    const redemption = await redeemPairingCode(home, code);
    const hint = "Run `mimikit pair` for a new link.";
    if (redemption === "unknown") auth.refuse(request, new Problem(401, "this code is not valid", { hint }));
    if (redemption !== "paired") throw new Problem(410, `this code is ${redemption}`, { hint });
    const { cookie, secret } = await sessions.create(Date.now());
    log.audit({ event: "session_created" });
    response.setHeader("Set-Cookie", auth.setCookie(cookie));
    response.json({ secret });
  };
}

/** Ends the session of the cookie, and every socket that was opened with it. */
export function signOut({ auth, sessions, live, log }: SigningInParts) {
  return async (request: Request, response: Response): Promise<void> => {
    await readBody(request, NoBody);
    const session = await sessions.revoke(auth.cookieOf(request));
    if (session !== null) {
      live.signOut(session);
      log.audit({ event: "session_ended" });
    }
    response.setHeader("Set-Cookie", auth.clearCookie());
    response.status(204).end();
  };
}
