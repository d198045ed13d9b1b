/** The audit log and the figures of an instance, as the gateway tells them. */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditAnswer, Status } from "@mimikit/protocol/wire/api";
import { openAuditChain } from "@mimikit/runtime/audit/audit-chain";
import { readToken } from "@mimikit/runtime/home/home";
import type { ProcessRole } from "@mimikit/runtime/process/role-record";
import { expect, test } from "vitest";
import { metricsText } from "../../../apps/http-gateway/src/routes/metrics.ts";
import { connect } from "../client.ts";
import { type Started, startGateway, temporaryHome } from "../gateway.ts";

/** Lines of a role, one each second, beginning at a second of the hour. */
function write(gateway: Started, actor: string, file: string, second: number, events: string[], firstSeq = 1): void {
  const lines = events.map((event, at) => {
    const timestamp = new Date(Date.UTC(2026, 10, 22, 9, 0, second + at * 2)).toISOString();
    return JSON.stringify({ timestamp, seq: firstSeq + at, actor, event, previousHash: "" });
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

/** A role's actions, on the chain that it would write; a file is finished when it has more than `fileBytesMax`. */
function chainOf({ home }: Pick<Started, "home">, actor: ProcessRole, fileBytesMax: number): (event: string) => void {
  // Finished files are compressed meanwhile, and the end of the test takes them away.
  const onProblem = () => undefined;
  const chain = openAuditChain({ home, token: readToken(home), actor, note: () => undefined, onProblem, fileBytesMax });
  return (event) => {
    chain.append((position) => JSON.stringify({ timestamp: new Date().toISOString(), ...position, event, actor }));
  };
}

test("what is done is told to clients as it is done, each line once and in order, over the end of a file", async () => {
  const gateway = await startGateway({ config: { tickMs: 20 } });
  const [supervisor, workers] = [chainOf(gateway, "supervisor", 1_000), chainOf(gateway, "workers", 1)];
  const client = await connect(gateway);
  await client.next("snapshot");
  const expected = { supervisor: [] as string[], workers: [] as string[] };
  for (let n = 1; n <= 20; n++) {
    supervisor(`s${n}`);
    workers(`w${n}`);
    expected.supervisor.push(`s${n}`);
    expected.workers.push(`w${n}`);
    if (n % 5 === 0) await client.next("audit", ({ data }) => data.event === `w${n}`);
  }
  supervisor("the last");
  await client.next("audit", ({ data }) => data.event === "the last");
  const told = client.frames.flatMap((frame) => (frame.type === "audit" ? [frame.data] : []));
  const eventsBy = (actor: string) => told.filter((line) => line.actor === actor).map(({ event }) => event);
  expect(eventsBy("supervisor")).toEqual([...expected.supervisor, "the last"]);
  expect(eventsBy("workers")).toEqual(expected.workers);
  expect(gateway.names("log").length).toBeGreaterThan(2);
});

test("a role whose finished lines cannot be read keeps nobody from hearing of the others, and is named once", async () => {
  const gateway = await startGateway({ config: { tickMs: 20 } });
  const [supervisor, workers] = [chainOf(gateway, "supervisor", 1_000), chainOf(gateway, "workers", 1_000)];
  const client = await connect(gateway);
  await client.next("snapshot");
  supervisor("begun");
  await client.next("audit", ({ data }) => data.event === "begun");
  // The file that was followed is finished with a line more, and damaged where it is kept; another is in its place.
  writeFileSync(join(gateway.home, "log", "supervisor.0000000001.2026-11-22.jsonl.gz"), "no gzip");
  write(gateway, "supervisor", "log.jsonl.new", 0, ["goes on"], 3);
  renameSync(join(gateway.home, "log.jsonl.new"), join(gateway.home, "log.jsonl"));
  workers("heard");
  const rest = [await client.next("audit"), await client.next("audit")].map(({ data }) => data.event);
  expect(rest.sort()).toEqual(["goes on", "heard"]);
  const problems = gateway.logged.filter((line) => /error|warn/.test(line));
  expect(problems).toEqual([expect.stringMatching(/audit lines could not be read.*supervisor/)]);
});

test("what was done before the first look is no news", async () => {
  const home = temporaryHome();
  const supervisor = chainOf({ home }, "supervisor", 1_000);
  supervisor("long ago");
  const gateway = await startGateway({ home, config: { tickMs: 20 } });
  const client = await connect(gateway);
  await client.next("snapshot");
  supervisor("now");
  expect((await client.next("audit")).data).toMatchObject({ event: "now", seq: 2 });
});

test("a client that comes back with its cursor is told what was done meanwhile", async () => {
  const gateway = await startGateway({ config: { tickMs: 20 } });
  const [witness, client] = [await connect(gateway), await connect(gateway)];
  await witness.next("snapshot");
  await client.next("snapshot");
  const workers = chainOf(gateway, "workers", 1_000);
  workers("seen");
  await client.next("audit", ({ data }) => data.event === "seen");
  await client.close();
  workers("missed");
  await witness.next("audit", ({ data }) => data.event === "missed");
  const back = await connect(gateway, client.cursor);
  expect((await back.next("audit")).data).toMatchObject({ event: "missed", actor: "workers" });
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
