/** A process that appends to the audit chain of the workers of the home in argv[2] without end, in files of a few lines. */
import { setImmediate as turn } from "node:timers/promises";
import { openAuditChain } from "@mimikit/runtime/audit/audit-chain";
import { readToken } from "@mimikit/runtime/home/home";

const chain = openAuditChain({
  home: process.argv[2] ?? "",
  token: readToken(process.argv[2] ?? ""),
  actor: "workers",
  note: () => undefined,
  onProblem: (error) => {
    throw error;
  },
  fileBytesMax: 2_000,
});
for (;;) {
  const line = chain.append(({ seq, previousHash }) =>
    JSON.stringify({ timestamp: new Date().toISOString(), seq, actor: "workers", event: "written", previousHash }),
  );
  process.stdout.write(`${line}\n`);
  await turn();
}
