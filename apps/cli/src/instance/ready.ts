/** Waits until an instance answers that it is ready. */

import type { Status } from "@mimikit/protocol/wire/api";
import { urlOf } from "@mimikit/runtime/config/address";
import type { Config } from "@mimikit/runtime/config/config";
import { readToken } from "@mimikit/runtime/home/home";
import { t, told } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { livingRoles } from "../processes/instance.ts";
import { waitUntil } from "../processes/wait-until.ts";
import { Client, Unreachable } from "./client.ts";

const READY_MS_MAX = 60_000;

const READY_POLL_MS = 50;

/** Polls `/api/status` of the gateway that noted itself in this home. Throws `Failure` (timed out) with what is missing. */
export async function waitUntilReady(home: string, config: Config): Promise<{ url: string; status: Status }> {
  const token = readToken(home);
  let missing = t("the gateway has not started");
  const ready = await waitUntil(READY_MS_MAX, READY_POLL_MS, async () => {
    const gateway = livingRoles(home).get("gateway");
    if (gateway === undefined) return null;
    const url = gateway.url ?? urlOf(config);
    try {
      const status = await new Client(url, token).status();
      if (status.ready) return { url, status };
      missing = status.problems.map(told).join("; ");
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      missing = error.message;
    }
    return null;
  });
  if (ready !== null) return ready;
  throw new Failure(
    "timedOut",
    t("not ready after {seconds} s: {missing}. See  mimikit logs  and  mimikit doctor", {
      seconds: READY_MS_MAX / 1_000,
      missing,
    }),
  );
}
