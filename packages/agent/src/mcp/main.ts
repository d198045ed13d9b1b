/** The process that agent CLIs start: `mimikit mcp` without the rest of the command line, which would be half its time. */
import { VERSION } from "@mimikit/runtime/version";
import { serveTools } from "./serve-tools.ts";

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("which run? Give the path of its tools file");
await serveTools(path, VERSION);
