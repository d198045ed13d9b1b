/** docs/configuration.md, made from the one schema of the configuration. */
import { Config } from "@mimikit/runtime/config/config";
import { CONFIG_FIELDS, valueAt } from "@mimikit/runtime/config/fields";
import { z } from "zod";

export function describeConfiguration(): string {
  const defaults: unknown = Config.parse({});
  const rows = CONFIG_FIELDS.map(({ path, variables, schema }) => {
    const value = valueAt(defaults, path);
    const shown = value === undefined ? "–" : `\`${JSON.stringify(value)}\``;
    const names = variables.map((name) => `\`${name}\``).join(", ");
    return `| \`${path.join(".")}\` | ${shown} | ${names} | ${z.globalRegistry.get(schema)?.description ?? ""} |`;
  });
  return `# Configuration

Settings are in \`$MIMIKIT_HOME/config.yaml\` or in the environment, which wins. None is needed. An invalid file or variable
stops nothing: it is reported by \`mimikit status\` and \`mimikit doctor\`, and the last good file stays in force.

\`\`\`yaml
port: 8790
maxConcurrency: 4
timeoutSec:
  worker: 1800
\`\`\`

| setting | default | variable | |
|---|---|---|---|
${rows.join("\n")}

And where it all is:

| variable | default | |
|---|---|---|
| \`MIMIKIT_WORK_DIR\` | the directory \`npm start\` or \`mimikit up\` was called in | the workspace: where commands run |
| \`MIMIKIT_HOME\` | \`$MIMIKIT_WORK_DIR/.mimikit\` | the state directory; naming one adopts it ([adoption](security.md#whose-state-directory-it-is)) |
| \`XDG_STATE_HOME\` | \`~/.local/state\` | where the records of adopted state directories are |

This page is generated: \`npm run docs\`.
`;
}
