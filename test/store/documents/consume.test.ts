/** A line that is saved into a note while its summary takes the note away is never lost, even where the process is killed. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { consumeDocument } from "@mimikit/store/documents/document";
import { expect, test } from "vitest";
import { temporaryState } from "../home.ts";

const PATH = "memory/2026-10-20.md";
const ELSEWHERE = "memory/2026-10-20-sum-1.md";
const READ = "what was read\n";
const restOf = (text: string) => (text.startsWith(READ) ? text.slice(READ.length) : text);

function noted() {
  const state = temporaryState();
  mkdirSync(join(state.home, "memory"), { recursive: true });
  writeFileSync(join(state.home, PATH), READ);
  return { ...state, contents: () => readdirSync(join(state.home, "memory")) };
}

/** A disk on which somebody saves a line at the last moment, and the process is killed right after the file has been moved. */
function killedAfterTheMove({ fs, home }: Pick<ReturnType<typeof noted>, "fs" | "home">): typeof fs {
  return {
    ...fs,
    async rename(from, to) {
      writeFileSync(join(home, from), `${READ}mine\n`);
      await fs.rename(from, to);
      throw new Error("killed");
    },
  };
}

test("what was read goes, and nothing else is left", async () => {
  const { fs, contents } = noted();
  await consumeDocument(fs, PATH, restOf, ELSEWHERE);
  expect(contents().filter((name) => name.endsWith(".md") || name.startsWith("."))).toEqual([]);
});

test("a line that was saved before a crash comes back when it is done again, once", async () => {
  const state = noted();
  const { fs, home, contents } = state;
  await expect(consumeDocument(killedAfterTheMove(state), PATH, restOf, ELSEWHERE)).rejects.toThrow("killed");
  for (let again = 0; again < 2; again++) await consumeDocument(fs, PATH, restOf, ELSEWHERE);
  expect(readFileSync(join(home, PATH), "utf8")).toBe("mine\n");
  expect(contents().filter((name) => name.endsWith(".md") || name.startsWith("."))).toEqual(["2026-10-20.md"]);
});

test("it goes to a file beside it where the name is somebody's again", async () => {
  const state = noted();
  const { fs, home } = state;
  await expect(consumeDocument(killedAfterTheMove(state), PATH, restOf, ELSEWHERE)).rejects.toThrow("killed");
  writeFileSync(join(home, PATH), "anew\n");
  await consumeDocument(fs, PATH, restOf, ELSEWHERE);
  expect(readFileSync(join(home, PATH), "utf8")).toBe("anew\n");
  expect(readFileSync(join(home, ELSEWHERE), "utf8")).toBe("mine\n");
});
