/** No text from outside makes a parser hang, or its process crash. Only that fails here: how long a parser takes is not measured. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { PARSERS } from "./parsers.ts";

/** A parser that takes longer for one text hangs. */
const TEXT_MS_MAX = 60_000;
const PROGRAM = join(import.meta.dirname, "parse.ts");

test.concurrent.each(Object.keys(PARSERS))(
  "%s ends, whatever the text",
  async (name) => {
    const child = spawn(process.execPath, [PROGRAM, name], { stdio: ["ignore", "pipe", "pipe"] });
    let last = "";
    let errors = "";
    let timer = setTimeout(() => child.kill("SIGKILL"), TEXT_MS_MAX);
    child.stderr.on("data", (data: Buffer) => {
      errors += data.toString();
    });
    createInterface({ input: child.stdout }).on("line", (line) => {
      last = line;
      clearTimeout(timer);
      timer = setTimeout(() => child.kill("SIGKILL"), TEXT_MS_MAX);
    });
    await once(child, "close");
    clearTimeout(timer);
    expect({ last, errors }).toEqual({ last: "all", errors: "" });
  },
  1_800_000,
);
