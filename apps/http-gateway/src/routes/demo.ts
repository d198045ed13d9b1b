/** `GET /api/demo`, `POST /api/demo/kill`: what a demo tells of itself, and its button. They are not there elsewhere. */
import { coded } from "@mimikit/protocol/texts/coded";
import { DemoOrder, DemoReport, isUnderWay } from "@mimikit/protocol/wire/demo";
import { z } from "zod";
import { type Route, route } from "../api/route.ts";
import { HttpProblem } from "../http/problem.ts";

const NO_KILLS: DemoReport = { kills: [] };

const report = route({
  method: "get",
  path: "/api/demo",
  summary: "the outcome of the last kills",
  status: 200,
  answer: DemoReport,
  handle: (_asked, { demo }) => demo.report() ?? NO_KILLS,
});

const kill = route({
  method: "post",
  path: "/api/demo/kill",
  summary: "kills a process with SIGKILL; it is restarted",
  body: DemoOrder,
  status: 202,
  answer: z.object({}),
  handle: ({ body }, { demo }) => {
    if (isUnderWay(demo.report() ?? NO_KILLS)) throw new HttpProblem(409, coded("kill_looked_at"));
    demo.order(body);
    return {};
  },
});

/** Mounted only for a demo: `app.ts`. */
export const DEMO_ROUTES: readonly Route[] = [report, kill];
