import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OUTPUT_FILE_BYTES_MAX } from "@mimikit/agent/shell/output";
import type { Report } from "@mimikit/protocol/base/report";
import { RESULT_SCHEMAS, RESULT_TEXT_CHARS_MAX } from "@mimikit/protocol/records/result";
import { findMarked } from "@mimikit/runtime/process/marked-processes";
import { describe, expect, test } from "vitest";
import { codeSpan } from "../../../packages/agent/src/providers/offline/code-span.ts";
import { type Ran, reportOf, run, taskOf, temporaryDirectory } from "../fixtures.ts";

type Options = Parameters<typeof run>[1] & { upstream?: Report[] };

function work(command: string, { upstream = [], ...options }: Options = {}): Promise<Ran> {
  return run(taskOf({ id: "t-000001.0.0", role: "worker", prompt: `run ${codeSpan(command)}`, upstream }), options);
}

const textOf = (ran: Ran) => RESULT_SCHEMAS.text.parse(ran.result);

/** Runs a command and stops it, as the pool does, when it has printed something. */
async function stopWhenReady(command: string, reason: unknown): Promise<Ran> {
  const controller = new AbortController();
  return work(command, {
    signal: controller.signal,
    onStream: (line) => {
      if (line.type === "progress") controller.abort(reason);
    },
  });
}

const timeOut = new DOMException("The time limit", "TimeoutError");

describe("a command", () => {
  test("runs in the workspace, and what it prints is the result and a file", async () => {
    const workDir = temporaryDirectory();
    writeFileSync(join(workDir, "hello.txt"), "");
    const ran = await work("ls; echo oops >&2", { workDir });
    expect(ran).toMatchObject({ status: "done", resultType: "text", effects: [], provider: "offline" });
    expect(textOf(ran).text).toBe("hello.txt\noops\n");
    expect(readFileSync(textOf(ran).artifact ?? "", "utf8")).toBe("hello.txt\noops\n");
    expect(statSync(textOf(ran).artifact ?? "").mode & 0o777).toBe(0o600);
  });

  test("that fails is final, with its code and what it printed", async () => {
    const ran = await work("echo partly; exit 3");
    expect(ran).toMatchObject({ status: "failed", failureReason: "error", error: "exit code 3", retryable: false });
    expect(textOf(ran).text).toBe("partly\n");
  });

  test("that fails is told in the language of its prompt", async () => {
    const ran = await run(taskOf({ id: "t-1.0", role: "worker", prompt: "运行 `exit 4`" }));
    expect(ran.error).toBe("退出码 4");
  });

  test("that somebody else kills may be tried again; one that crashes by itself may not", async () => {
    expect(await work("kill -KILL $$")).toMatchObject({ failureReason: "killed", retryable: true });
    expect(await work("kill -SEGV $$")).toMatchObject({
      failureReason: "error",
      error: "ended by SIGSEGV",
      retryable: false,
    });
  });

  test("reads nothing: its input is at its end", async () => {
    expect(textOf(await work("cat; echo end")).text).toBe("end\n");
  });

  test("sees a few variables of our environment, its mark, and no secrets", async () => {
    process.env.OPENAI_API_KEY = "canary";
    try {
      const ran = await work("env");
      const names = textOf(ran)
        .text.split("\n")
        .map((line) => line.split("=", 1)[0]);
      expect(names).toEqual(expect.arrayContaining(["PATH", "MIMIKIT_RUN"]));
      expect(textOf(ran).text).toContain(`MIMIKIT_RUN=${ran.mark}\n`);
      expect(textOf(ran).text).not.toContain("canary");
    } finally {
      delete process.env.OPENAI_API_KEY;
    }
  });

  test("shows its last line while it runs", async () => {
    const ran = await work("echo first; echo second");
    expect(ran.lines.length).toBeGreaterThan(0);
    expect(ran.lines.every((line) => line.type === "progress" && /^(first|second)$/.test(line.step))).toBe(true);
  });

  test.each(["please write a poem", "run `a` then `b`", "run `ls` for me", "run `ls`\nthank you"])(
    "is all that this worker does; %j is for a model",
    async (prompt) => {
      const ran = await run(taskOf({ id: "t-1.0", role: "worker", prompt }));
      expect(ran).toMatchObject({ status: "failed", failureReason: "error", retryable: false, result: null });
      expect(ran.error).toContain("without a language model");
    },
  );

  test("that cannot be started may be tried again", async () => {
    const ran = await work("ls", { workDir: join(temporaryDirectory(), "gone") });
    expect(ran).toMatchObject({ status: "failed", failureReason: "provider", retryable: true });
  });
});

describe("output", () => {
  test("of a flood the end is kept in the result, the beginning in a file of bounded size", async () => {
    const bytes = OUTPUT_FILE_BYTES_MAX + 1_000_000;
    const ran = await work(`head -c ${bytes} /dev/zero | tr '\\0' x; echo END`);
    const { text, artifact = "" } = textOf(ran);
    expect(text).toHaveLength(RESULT_TEXT_CHARS_MAX);
    expect(text.endsWith("xEND\n")).toBe(true);
    const file = readFileSync(artifact, "utf8");
    expect(file.slice(OUTPUT_FILE_BYTES_MAX)).toMatch(/^\n\[mimikit: the output is longer than \d+ bytes/);
  });

  test("is shown without terminal codes, kept with them", async () => {
    const ran = await work("printf '\\033[31mred\\033[0m\\r\\n'");
    expect(textOf(ran).text).toBe("red\n");
    expect(readFileSync(textOf(ran).artifact ?? "", "utf8")).toBe("\u001b[31mred\u001b[0m\r\n");
  });

  test("that is cut begins with a whole character", async () => {
    const ran = await work("for i in $(seq 30000); do printf 汉; done");
    expect(textOf(ran).text).toMatch(/^汉+$/);
  });
});

describe("nothing outlives the run", () => {
  test("a time-out takes a grandchild along that ignores TERM and holds the pipe", async () => {
    const ran = await stopWhenReady("(trap '' TERM; echo ready; while :; do sleep 60; done) & wait", timeOut);
    expect(ran).toMatchObject({
      status: "failed",
      failureReason: "timeout",
      error: "stopped at its time limit",
      retryable: true,
    });
    expect(textOf(ran).text).toBe("ready\n");
    expect(await findMarked(ran.mark)).toEqual([]);
  }, 20_000);

  test("nor one that ignores TERM and has let go of the pipe", async () => {
    const ran = await stopWhenReady(
      "(trap '' TERM; while :; do sleep 60; done) >/dev/null 2>&1 & echo ready; wait",
      timeOut,
    );
    expect(ran.failureReason).toBe("timeout");
    expect(await findMarked(ran.mark)).toEqual([]);
  }, 20_000);

  test.runIf(process.platform === "linux")(
    "nor one that left the process group",
    async () => {
      const ran = await stopWhenReady("setsid sh -c 'echo ready; sleep 60' & wait", timeOut);
      expect(ran.failureReason).toBe("timeout");
      expect(await findMarked(ran.mark)).toEqual([]);
    },
    20_000,
  );

  test("a command that ends leaves nothing in the background, even what holds its output open", async () => {
    const ran = await work("sleep 60 & (setsid sleep 60 &) ; echo done");
    expect(ran.status).toBe("done");
    expect(textOf(ran).text).toBe("done\n");
    expect(await findMarked(ran.mark)).toEqual([]);
  }, 20_000);

  test("whoever stops it says why", async () => {
    expect(await stopWhenReady("echo ready; sleep 60", "cancelled")).toMatchObject({ failureReason: "cancelled" });
    expect(await stopWhenReady("echo ready; sleep 60", undefined)).toMatchObject({
      failureReason: "killed",
      retryable: true,
    });
  }, 20_000);

  test("a run that is stopped before it began starts nothing", async () => {
    const workDir = temporaryDirectory();
    const ran = await work("touch began", { workDir, signal: AbortSignal.abort("cancelled") });
    expect(ran).toMatchObject({ status: "failed", failureReason: "cancelled" });
    expect(() => statSync(join(workDir, "began"))).toThrow("ENOENT");
  });
});

describe("what the task before it printed", () => {
  test("is its input, and a file that MIMIKIT_UPSTREAM names", async () => {
    const home = temporaryDirectory();
    const first = await work("printf 'a\\nb\\n'", { home });
    const upstream = [reportOf({ result: first.result })];
    writeFileSync(textOf(first).artifact ?? "", "a\nb\nfrom the file\n");
    const ran = await work('cat; cat "$MIMIKIT_UPSTREAM"', { home, upstream, attempt: 2 });
    expect(textOf(ran).text).toBe("a\nb\nfrom the file\n".repeat(2));
  });

  test("comes from its result where the file is gone", async () => {
    const first = await work("echo kept");
    rmSync(textOf(first).artifact ?? "");
    const ran = await work("cat", { upstream: [reportOf({ result: first.result })] });
    expect(textOf(ran).text).toBe("kept\n");
  });

  test("may be more than one, or no text at all", async () => {
    const change = reportOf({ resultType: "analysis", result: { findings: ["slow"] } });
    const ran = await work('cat "$MIMIKIT_UPSTREAM"', { upstream: [reportOf({}), change] });
    expect(textOf(ran).text).toBe('README.md\n\n{\n  "findings": [\n    "slow"\n  ]\n}');
  });

  test("disturbs no command that does not ask for it", async () => {
    const workDir = temporaryDirectory();
    writeFileSync(join(workDir, "README.md"), "1\n2\n3\n");
    const ran = await work("wc -l README.md", { workDir, upstream: [reportOf({})] });
    expect(textOf(ran).text.trim()).toBe("3 README.md");
  });
});
