/** Whether the gateway serves, and whether Mimikit works, for those who watch it: no sign-in, and no details. */
import { coded } from "@mimikit/protocol/texts/coded";
import { Health } from "@mimikit/protocol/wire/api";
import { route } from "../api/route.ts";
import { HttpProblem } from "../http/problem.ts";

export const live = route({
  method: "get",
  path: "/livez",
  summary: "the gateway is up",
  isOpen: true,
  status: 200,
  answer: Health,
  handle: () => ({ ok: true as const }),
});

/** The name of `/livez` before 0.4. */
export const health = route({
  method: "get",
  path: "/healthz",
  summary: "the gateway is up (as `/livez`)",
  isOpen: true,
  status: 200,
  answer: Health,
  handle: () => ({ ok: true as const }),
});

export const ready = route({
  method: "get",
  path: "/readyz",
  summary: "a message that is sent now is saved and worked on",
  isOpen: true,
  status: 200,
  answer: Health,
  errors: {
    503: "it is not; `error.code` says why: `disk_full`, `read_only`, `disk_failed`, `not_adopted`, `supervisor_down`, `supervisor_hung`, `workers_down` or `workers_hung`",
  },
  async handle({ response }, { whyNotReady }) {
    const reason = await whyNotReady();
    if (reason === null) return { ok: true as const };
    // Not thrown: whoever watches asks every few seconds, and the log has other lines about it.
    response.status(503).json(new HttpProblem(503, coded("not_ready", { reason }), { code: reason }).body);
    return { ok: true as const };
  },
});
