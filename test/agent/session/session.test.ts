/** The session of a task: whatever a killed attempt leaves of it, the next one can go on. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  CUT_OFF,
  countCalls,
  readTurns,
  repair,
  Session,
  type SessionLine,
} from "../../../packages/agent/src/session/session.ts";
import { temporaryDirectory } from "../fixtures.ts";

const call = (id: string, name = "bash") => ({ id, name, arguments: '{"command":"ls"}' });
const assistant = (...ids: string[]): SessionLine => ({
  type: "assistant",
  text: "",
  calls: ids.map((id) => call(id)),
});
const result = (requestId: string, text = `of ${requestId}`): SessionLine => ({
  type: "result",
  requestId,
  tool: "bash",
  text,
  isMade: true,
});
const note: SessionLine = { type: "note", text: "go on" };

const SESSION: SessionLine[] = [
  { type: "prompt", attempt: 1, text: '做这个\n\u2028 and "that"' },
  { type: "assistant", text: "I look.", calls: [call("1"), call("2")] },
  { ...result("1"), artifact: "/runs/bash-1.txt" } as SessionLine,
  { type: "result", requestId: "2", tool: "bash", text: "no", isMade: false, error: "skipped" },
  { type: "steer", id: "s-1", at: "2026-11-22T02:00:00.000Z", text: "faster" },
  note,
  assistant(),
];

async function write(path: string, turns: readonly SessionLine[]): Promise<void> {
  const session = await Session.begin(path, true);
  for (const turn of turns) await session.append(turn);
  await session.close();
}

async function resume(path: string) {
  const { session, ...rest } = await Session.resume(path);
  await session.close();
  return rest;
}

describe("a session", () => {
  test("reads back what was written, and is nobody else's", async () => {
    const path = join(temporaryDirectory(), "sessions", "t-1.jsonl");
    await write(path, SESSION);
    expect(await resume(path)).toEqual({ turns: SESSION, badLines: 0 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  });

  test("that was never begun is empty", async () => {
    const path = join(temporaryDirectory(), "t-1.jsonl");
    expect(await resume(path)).toEqual({ turns: [], badLines: 0 });
  });

  test("that is begun anew holds nothing of the old one", async () => {
    const path = join(temporaryDirectory(), "t-1.jsonl");
    await write(path, SESSION);
    await write(path, [note]);
    expect((await resume(path)).turns).toEqual([note]);
  });

  test("cut after any byte loses at most the line that was torn, and the next line is whole", async () => {
    const directory = temporaryDirectory();
    const whole = join(directory, "whole.jsonl");
    await write(whole, SESSION);
    const bytes = readFileSync(whole);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const path = join(directory, "cut.jsonl");
      writeFileSync(path, bytes.subarray(0, cut));
      const { session, turns } = await Session.resume(path);
      await session.append(note);
      await session.close();
      const lines = bytes.subarray(0, cut).toString().split("\n").length - 1;
      // A line that lacks nothing but its end is a whole line.
      const isWhole = bytes[cut] === 10;
      expect(turns).toEqual(SESSION.slice(0, lines + (isWhole ? 1 : 0)));
      const again = await resume(path);
      expect(again.turns).toEqual([...turns, note]);
      expect(again.badLines).toBe(cut > 0 && bytes[cut - 1] !== 10 && !isWhole ? 1 : 0);
    }
  });

  test("skips and counts what is no line of ours", () => {
    const good = JSON.stringify(note);
    const bad = ["\0\0\0", "null", '{"type":"note"}', `{"type":"note","text":${"[".repeat(100)}}`, '{"type":"boss"}'];
    expect(readTurns([good, ...bad, good].join("\n"))).toEqual({ turns: [note, note], badLines: bad.length });
  });

  test("is never written through a link, nor into what is no file", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "private"), "private");
    symlinkSync(join(directory, "private"), join(directory, "link.jsonl"));
    mkdirSync(join(directory, "directory.jsonl"));
    for (const name of ["link", "directory"]) {
      await expect(Session.begin(join(directory, `${name}.jsonl`), true)).rejects.toThrow();
      await expect(Session.resume(join(directory, `${name}.jsonl`))).rejects.toThrow();
    }
    expect(readFileSync(join(directory, "private"), "utf8")).toBe("private");
  });

  test("whose last writer had no room left goes on in a line of its own", async () => {
    const path = join(temporaryDirectory(), "t-1.jsonl");
    await write(path, [note]);
    appendFileSync(path, '{"type":"no');
    const { session } = await Session.resume(path);
    await session.append(note);
    await session.append(note);
    await session.close();
    expect(await resume(path)).toEqual({ turns: [note, note, note], badLines: 1 });
    expect(existsSync(path)).toBe(true);
  });
});

describe("repair", () => {
  test("answers a call whose result never came, in its place", () => {
    const repaired = repair([assistant("1", "2"), result("2"), note, assistant("3")]);
    expect(repaired).toEqual([
      assistant("1", "2"),
      { type: "result", requestId: "1", tool: "bash", text: CUT_OFF, isMade: true, error: "cut_off" },
      result("2"),
      note,
      assistant("3"),
      expect.objectContaining({ requestId: "3", text: CUT_OFF }),
    ]);
  });

  test("drops a result without its call, and one that is there twice", () => {
    expect(
      repair([result("0"), note, result("1"), assistant("1"), result("9"), result("1"), result("1", "again")]),
    ).toEqual([note, assistant("1"), result("1")]);
  });

  test("takes ids that come again in a later answer for what they are", () => {
    const turns = [assistant("1"), result("1", "first"), assistant("1"), result("1", "second")];
    expect(repair(turns)).toEqual(turns);
  });

  const anyTurn = fc.oneof(
    fc.constant(note),
    fc.array(fc.constantFrom("1", "2", "3"), { maxLength: 3 }).map((ids) => assistant(...new Set(ids))),
    fc.constantFrom("1", "2", "3", "4").map((id) => result(id)),
  );

  test("leaves every call with one result right behind it, and nothing to repair", () => {
    fc.assert(
      fc.property(fc.array(anyTurn, { maxLength: 30 }), (turns) => {
        const repaired = repair(turns);
        let open: string[] = [];
        for (const turn of repaired) {
          if (turn.type === "result") expect(open.shift()).toBe(turn.requestId);
          else expect(open).toEqual([]);
          if (turn.type === "assistant") open = turn.calls.map((each) => each.id);
        }
        expect(open).toEqual([]);
        expect(repair(repaired)).toEqual(repaired);
        expect(repaired.filter((turn) => turn.type !== "result")).toEqual(
          turns.filter((turn) => turn.type !== "result"),
        );
      }),
    );
  });

  test("counts a call that was cut off as made, and one that was skipped not", () => {
    expect(countCalls(repair(SESSION))).toBe(1);
    expect(countCalls(repair(SESSION.slice(0, 2)))).toBe(2);
  });
});
