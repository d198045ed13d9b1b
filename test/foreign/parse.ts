/** Parses all hostile texts with one parser, in a process of its own: `node parse.ts <parser>`. Says before each what it begins. */
import { writeSync } from "node:fs";
import { hostileTexts } from "./inputs.ts";
import { PARSERS } from "./parsers.ts";

const parser = PARSERS[process.argv[2] ?? ""];
if (parser === undefined) throw new Error(`there is no parser ${process.argv[2]}`);
for (const { name, text } of hostileTexts(parser.chars)) {
  writeSync(1, `${name}\n`);
  try {
    await parser.parse(text);
  } catch (error) {
    // To refuse a text is right; to run out of the stack or of memory, or to read what is not there, is not refusing it.
    if (
      error instanceof TypeError ||
      (error instanceof RangeError && /call stack|memory|string length/i.test(error.message))
    )
      throw error;
  }
}
writeSync(1, "all\n");
