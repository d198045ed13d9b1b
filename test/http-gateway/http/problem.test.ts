import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { coded } from "@mimikit/protocol/texts/coded";
import { expect, test } from "vitest";
import { HttpProblem, problemOf } from "../../../apps/http-gateway/src/http/problem.ts";
import { startGateway } from "../gateway.ts";

test.each(["ENOSPC", "EDQUOT"])("%s is told as a full disk: nothing was promised, and it can be sent again", (code) => {
  const problem = problemOf(Object.assign(new Error(`${code}: /home/me/.mimikit/tmp/1`), { code }));
  expect(problem).toMatchObject({ status: 507, body: { error: { code: "disk_full" } } });
  expect(JSON.stringify(problem.body)).not.toContain("/home/me");
});

test("a file system that has become read-only is told as that", () => {
  const problem = problemOf(Object.assign(new Error("EROFS: /home/me/.mimikit/tmp/1"), { code: "EROFS" }));
  expect(problem).toMatchObject({ status: 507, body: { error: { code: "read_only" } } });
  expect(JSON.stringify(problem.body)).not.toContain("/home/me");
});

test("a disk that reports an error is told as that: nothing was promised, and it can be sent again", () => {
  const problem = problemOf(
    Object.assign(new Error("EIO: i/o error, fsync '/home/me/.mimikit/tmp/1'"), { code: "EIO" }),
  );
  expect(problem).toMatchObject({ status: 507, body: { error: { code: "disk_failed" } } });
  expect(JSON.stringify(problem.body)).not.toContain("/home/me");
});

test.each([new Error("secret"), "secret", null, { status: 200 }, Object.assign(new Error("secret"), { status: 500 })])(
  "an unknown error (%s) says nothing about our insides",
  (error) => {
    const problem = problemOf(error);
    expect(problem).toMatchObject({ status: 500, body: { error: { code: "internal" } } });
    expect(JSON.stringify(problem.body)).not.toContain("secret");
  },
);

test("a problem is shown word by word, with its hint", () => {
  const said = coded("task_ended", { state: "done" });
  const message = "this task has already ended (done)";
  const problem = new HttpProblem(409, said, { hint: "Look at it." });
  expect(problem.body).toEqual({ error: { code: "conflict", message, hint: "Look at it.", coded: { message: said } } });
});

test("a state directory that cannot be written answers 500, acknowledges nothing, and is logged; when it is back, so are we", async () => {
  const gateway = await startGateway();
  const inbox = join(gateway.home, "inbox");
  renameSync(inbox, `${inbox}.away`);
  writeFileSync(inbox, "no directory");
  const answer = await gateway.post("/api/input", { text: "hi" });
  expect(answer).toMatchObject({ status: 500, json: { error: { code: "internal" } } });
  expect(answer.text).not.toContain(gateway.home);
  expect(gateway.logged.join("\n")).toContain("ENOTDIR");
  rmSync(inbox);
  renameSync(`${inbox}.away`, inbox);
  expect((await gateway.post("/api/input", { text: "hi" })).status).toBe(202);
});
