/** The audit log and the figures of an instance, as the gateway tells them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditAnswer, Status } from "@mimikit/protocol/api";
import { expect, test } from "vitest";
import { metricsText } from "../../apps/http-gateway/src/routes/metrics.ts";
import { type Started, startGateway } from "./gateway.ts";

/** Lines of a role, one each second, beginning at a second of the hour. */
function write(gateway: Started, actor: string, file: string, second: number, events: string[]): void {
  const lines = events.map((event, at) => {
    const timestamp = new Date(Date.UTC(2026, 10, 22, 9, 0, second + at * 2)).toISOString();
    return JSON.stringify({ timestamp, seq: at + 1, actor, event, previousHash: "" });
  });
  writeFileSync(join(gateway.home, file), lines.map((line) => `${line}\n`).join(""));
}

const pageOf = async (gateway: Started, query = "") => (await gateway.ask(`/api/audit${query}`)).json as AuditAnswer;
const eventsOf = ({ entries }: AuditAnswer) => entries.map(({ event }) => event).join(" ");

test("what the roles have done is told in order of time, page by page in both directions", async () => {
  const gateway = await startGateway();
  expect(await pageOf(gateway)).toEqual({ entries: [], next: "s0.w0.g0", previous: null });
  write(gateway, "supervisor", "log.jsonl", 0, ["s1", "s2", "s3"]);
  write(gateway, "workers", "log.workers.jsonl", 1, ["w1", "w2"]);
  const newest = await pageOf(gateway, "?limit=2");
  expect(eventsOf(newest)).toBe("w2 s3");
  const earlier = await pageOf(gateway, `?limit=2&before=${newest.previous}`);
  expect(eventsOf(earlier)).toBe("w1 s2");
  const first = await pageOf(gateway, `?limit=2&before=${earlier.previous}`);
  expect(eventsOf(first)).toBe("s1");
  expect(first.previous).toBeNull();
  expect(eventsOf(await pageOf(gateway, `?after=${first.next}`))).toBe("w1 s2 w2 s3");
  expect(eventsOf(await pageOf(gateway, `?after=${newest.next}`))).toBe("");
  write(gateway, "gateway", "log.gateway.jsonl", 30, ["g1"]);
  expect(eventsOf(await pageOf(gateway, `?after=${newest.next}`))).toBe("g1");
  expect(eventsOf(await pageOf(gateway, "?actor=workers"))).toBe("w1 w2");
});

test("whoever asks for no place in the audit log is told what one is", async () => {
  const gateway = await startGateway();
  for (const query of ["?after=12", "?before=s1", "?after=s0.w0.g0&before=s0.w0.g0", "?limit=501", "?actor=me"])
    expect((await gateway.ask(`/api/audit${query}`)).status).toBe(400);
  expect((await gateway.ask("/api/audit", { signedIn: false })).status).toBe(401);
});

test("the figures are told to whoever has the token, in Prometheus' words", async () => {
  const gateway = await startGateway();
  expect((await gateway.ask("/metrics", { signedIn: false })).status).toBe(401);
  const { status, headers, text } = await gateway.ask("/metrics");
  expect(status).toBe(200);
  expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(text).toContain('mimikit_process_up{process="gateway"} 1\n');
  expect(text).toContain('mimikit_process_up{process="supervisor"} 0\n');
  for (const line of text.trimEnd().split("\n"))
    expect(line).toMatch(/^(# (HELP|TYPE) mimikit_[a-z_]+ .+|mimikit_[a-z_]+(\{([a-z]+="[^"]*",?)+\})? \d+(\.\d+)?)$/);
});

test("the name of a tool, which a model may have made up, stays within its quotes", async () => {
  const gateway = await startGateway();
  const status = (await gateway.ask("/api/status")).json as Status;
  const text = metricsText({ ...status, tools: { 'a"b\\c\nd': { calls: 4, failed: 1, meanMs: 500 } } });
  expect(text).toContain('mimikit_tool_calls_today_total{tool="a\\"b\\\\c\\nd"} 4\n');
  expect(text).toContain('mimikit_tool_seconds_today_total{tool="a\\"b\\\\c\\nd"} 2\n');
});
