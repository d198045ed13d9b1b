/** `GET /metrics`: the status as Prometheus reads it (SPEC N3, I9). Daily counts begin at 0 again at midnight. */
import type { Status } from "@mimikit/protocol/wire/api";
import { z } from "zod";
import { route } from "../api/route.ts";

export const metrics = route({
  method: "get",
  path: "/metrics",
  summary: "metrics for Prometheus: [Monitoring](operations.md#monitoring)",
  status: 200,
  answer: z.string(),
  types: ["text/plain; version=0.0.4; charset=utf-8"],
  async handle(_asked, { view, statusOf, whyNotReady }) {
    const [status, reason] = await Promise.all([view.refresh().then(statusOf), whyNotReady()]);
    return metricsText({ ...status, ready: status.ready && reason === null });
  },
});

type Samples = readonly (readonly [labels: Record<string, string>, value: number])[];

/** Every figure with its help, its type and its samples. */
export function metricsText(status: Status): string {
  const { version, ready, processes, counts, problems, providers, usage, tools } = status;
  const one = (value: number): Samples => [[{}, value]];
  const byRole = (numbers: Record<string, number>): Samples =>
    Object.entries(numbers).map(([role, value]) => [{ role }, value]);
  const budget = (read: (state: NonNullable<Status["usage"]["budget"]["day"]>) => number | undefined): Samples =>
    (["day", "month"] as const).flatMap((period) => {
      const state = usage.budget[period];
      const value = state === null ? undefined : read(state);
      return value === undefined ? [] : [[{ period }, value] as const];
    });
  const byTool = (read: (tool: Status["tools"][string]) => number): Samples =>
    Object.entries(tools).map(([tool, figures]) => [{ tool }, read(figures)]);

  return [
    family("info", "gauge", "The version that runs, and who answers for each role.", [[{ version, ...providers }, 1]]),
    family(
      "ready",
      "gauge",
      "1 when a message that is sent now is saved and worked on, as /readyz says it.",
      one(Number(ready)),
    ),
    family(
      "process_up",
      "gauge",
      "1 for each process that runs.",
      Object.entries(processes).map(([process, { alive }]) => [{ process }, Number(alive)]),
    ),
    family(
      "process_silent_seconds",
      "gauge",
      "For how many seconds the loop of a process has stood still; 0 below 10.",
      Object.entries(processes).map(([process, { silentSec = 0 }]) => [{ process }, silentSec]),
    ),
    family(
      "process_deaths_last_hour",
      "gauge",
      "How often a process has died within the last hour and was started again.",
      Object.entries(processes).map(([process, { deaths = 0 }]) => [{ process }, deaths]),
    ),
    family("problems", "gauge", "What the owner should look at.", one(problems.length)),
    family("tasks_queued", "gauge", "Tasks that wait, by role.", byRole(counts.queued)),
    family("tasks_running", "gauge", "Tasks that run, by role.", byRole(counts.running)),
    family("inbox_records", "gauge", "Commands that nobody has taken up yet.", one(counts.inbox)),
    family("questions_open", "gauge", "Questions that wait for an answer.", one(counts.questions)),
    family("triggers", "gauge", "Triggers that stand.", one(counts.triggers)),
    family("quarantined_files", "gauge", "Files that could not be read and were set aside.", one(counts.quarantine)),
    family("tokens_today_total", "counter", "Tokens of today, by direction.", [
      [{ direction: "input" }, usage.today.inputTokens],
      [{ direction: "output" }, usage.today.outputTokens],
    ]),
    family("cost_today_usd_total", "counter", "What today has cost, in US dollars.", one(usage.today.costUsd)),
    family(
      "budget_reached",
      "gauge",
      "1 when the budget of the period is used up and work waits.",
      budget(({ isReached }) => Number(isReached)),
    ),
    family(
      "budget_limit_usd",
      "gauge",
      "What may be spent in the period, in US dollars.",
      budget(({ limit }) => limit.costUsd),
    ),
    family(
      "budget_spent_usd",
      "gauge",
      "What is spent in the period, in US dollars.",
      budget(({ spent }) => spent.costUsd),
    ),
    family(
      "tool_calls_today_total",
      "counter",
      "Calls of a tool today.",
      byTool(({ calls }) => calls),
    ),
    family(
      "tool_failures_today_total",
      "counter",
      "Calls of a tool that failed today.",
      byTool(({ failed }) => failed),
    ),
    family(
      "tool_seconds_today_total",
      "counter",
      "Seconds that the calls of a tool have taken today.",
      byTool(({ calls, meanMs }) => (calls * meanMs) / 1_000),
    ),
  ].join("");
}

function family(name: string, type: "gauge" | "counter", help: string, samples: Samples): string {
  const full = `mimikit_${name}`;
  const lines = samples.map(([labels, value]) => `${full}${labelsText(labels)} ${value}\n`);
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines.join("")}`;
}

function labelsText(labels: Record<string, string>): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}

/** Names of tools come from models: whatever they are, they stay within their quotes. */
function escaped(value: string): string {
  return value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}
