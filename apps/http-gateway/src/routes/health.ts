/** `GET /healthz`: the gateway serves. */
import { Health } from "@mimikit/protocol/wire/api";
import { route } from "../api/route.ts";

export const health = route({
  method: "get",
  path: "/healthz",
  summary: "the gateway is up",
  isOpen: true,
  status: 200,
  answer: Health,
  handle: () => ({ ok: true as const }),
});
