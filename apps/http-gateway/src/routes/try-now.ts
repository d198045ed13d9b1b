/** `POST /api/providers/try-now`: providers that are left alone because they could not be reached are asked again at once. */
import { NoBody } from "@mimikit/protocol/wire/api";
import { wantTry } from "@mimikit/runtime/process/circuit-record";
import { z } from "zod";
import { route } from "../api/route.ts";

export const tryNow = route({
  method: "post",
  path: "/api/providers/try-now",
  summary: "retries at once the providers that are skipped because they could not be reached",
  body: NoBody,
  status: 202,
  answer: z.object({}),
  handle: (_asked, { home, log }) => {
    wantTry(home);
    log.audit({ event: "try_now" });
    return {};
  },
});
