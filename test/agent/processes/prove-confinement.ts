/** Proves the confinement of the home and the workspace of its arguments, and prints what it finds. */

import { proveConfinement, proveOffline } from "@mimikit/agent/providers/prove-confinement";
import { proveWalls } from "@mimikit/agent/providers/prove-walls";
import { Config } from "@mimikit/runtime/config/config";

const [home = "", workDir = ""] = process.argv.slice(2);
const place = { home, workDir };
const worker = await proveConfinement("openai", Config.parse({}), place);
const readOnly = await proveOffline("openai", place);
process.stdout.write(JSON.stringify({ worker, readOnly, walls: await proveWalls(place) }));
