/** The output of a task's attempts, one after the other, in one file. */
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { STREAM_BYTES_MAX, type StreamLine } from "@mimikit/protocol/wire/stream";
import { streamPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { StreamTail } from "../../apps/http-gateway/src/live/stream-tail.ts";
import { openStream } from "../../apps/worker-pool/src/run/stream-file.ts";
import { temporaryState } from "../store/home.ts";

const TASK = "t-000001";

/** One attempt that shows `lines`. */
async function attempt(home: string, ...lines: StreamLine[]): Promise<void> {
  const stream = openStream(home, TASK, (error) => {
    throw error;
  });
  for (const line of lines) stream.write(line);
  await stream.end();
}

const says = (text: string): StreamLine => ({ type: "delta", text });

test("an attempt takes back what the one before it has shown", async () => {
  const { home } = temporaryState();
  const tail = new StreamTail(join(home, streamPath(TASK)));
  await attempt(home, says("Hel"), { type: "progress", step: "thinking" });
  expect(tail.read()).toEqual([{ type: "begin" }, says("Hel"), { type: "progress", step: "thinking" }]);
  await attempt(home, says("Hel"), says("lo."));
  expect(tail.read()).toEqual([{ type: "begin" }, says("Hello.")]);
  expect(tail.soFar).toEqual({ text: "Hello.", thought: "", step: undefined });
});

test("half a line of an attempt that was killed swallows nothing of the next one", async () => {
  const { home } = temporaryState();
  const path = join(home, streamPath(TASK));
  await attempt(home, says("one"));
  appendFileSync(path, '{"type":"delta","te');
  await attempt(home, says("two"));
  const tail = new StreamTail(path);
  tail.read();
  expect(tail.soFar.text).toBe("two");
});

test("an attempt that shows nothing leaves nothing", async () => {
  const { home } = temporaryState();
  await attempt(home);
  expect(existsSync(join(home, streamPath(TASK)))).toBe(false);
});

test("all attempts together have the room of one file", async () => {
  const { home } = temporaryState();
  const path = join(home, streamPath(TASK));
  writeFileSync(path, `${JSON.stringify(says("x".repeat(STREAM_BYTES_MAX)))}\n`);
  const { size } = statSync(path);
  await attempt(home, says("more"));
  expect(readFileSync(path)).toHaveLength(size);
});
