/** docs/attacks.md: the attacks that are tried, of test/attacks/list.ts. */
import { attackTables, kindTable } from "../test/attacks/list.ts";

export function describeAttacks(): string {
  return `# Attacks that are tried

Every attack has a number, by which [security](security.md) names it. A test with the number in front tries it, or one whose title has
the words behind the file. \`npm run docs\` writes this page, and a test fails where a test that it names is not there.

\`\`\`bash
npm run test:attacks                             # all of them, and the whole fuzz; prints these tables with what came of each
npm run test:attacks -- --attack 17 --attack 46  # some
npm run test:attacks -- --attack 100 --fuzz 5000 --seed 42
\`\`\`

| option | default | |
|---|---|---|
| \`--fuzz N\` | 100000 | random requests; a twentieth as many more have damaged bytes |
| \`--frames N\` | 20000 | random frames of the WebSocket |
| \`--seed N\` | a new one | makes the same requests again; it is printed |
| \`--attack N\` | all | this one alone; may be given several times |

*Scope* says how much runs: all processes of an instance, the gateway with a state directory of its own, or the part that decides.
CI runs every test of the list in its suites, and the fuzz with 3,000 requests and 600 frames.

${kindTable()}
The sandbox is tried with the rights of root and of another user; \`npm run test:attacks\` ends with how many of each kind were tried and
held as which.

${attackTables()}
## How the fuzz works

Requests are made from \`GET /api/openapi.json\`: its paths, methods, parameters and bodies, right, with a few changes, or mangled as text;
with odd headers and encodings; and from paths that are not in it. Every answer must come, must not be a 5xx other than 503 and 507, and must have no stack
and no secret; an error must be the JSON of [the API](api.md#errors). Afterwards the processes
are the same, the instance is ready, no role has held 768 MB, and no file and no output has anything of a refused
request: each has a mark of its own. Frames are sent whole, in pieces, as binary, and as bytes that are no frame; each that is one has its
answer. Signed in, it leaves out a restart, and settings and providers that would make it ask another machine.
`;
}
