/** docs/configuration.md, made from the one schema of the configuration. */
import { Config } from "@mimikit/runtime/config/config";
import { READ_AT_START } from "@mimikit/runtime/config/describe-settings";
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

Settings are in \`$MIMIKIT_HOME/config.yaml\` or in the environment, which overrides the file. All settings are optional.

**A mistake never allows more.** An invalid file changes nothing: the last valid one stays in force, also after a restart, and \`mimikit status\` and \`mimikit doctor\` report it. Settings that have never been valid
are not replaced by defaults, which may be laxer: nothing starts, and \`mimikit up\` names the file and the line. An invalid variable is reported and ignored; nothing starts where it may forbid something: \`autonomy\`,
\`sandbox\`, \`web.fetch\`, \`web.hosts\`, \`budget\`, \`paused\`, \`codex.network\`, and the budget and checks of \`selfImprove\`. Other files that cannot be read allow nothing either: an approval asks again, a skill
is read-only, and a server of \`mcp.json\` or a hook does not run.

\`\`\`yaml
port: 8790
maxConcurrency: 4
timeoutSec:
  worker: 1800
\`\`\`

## How they are set

| | |
|---|---|
| an editor | \`config.yaml\`, read again when it is saved; \`mimikit config validate\` names the line of each mistake |
| \`mimikit config set budget.day.costUsd 5\`, \`mimikit config unset …\` | also while nothing runs; prints the old and the new value |
| the page, *Settings* | a form with every setting, its bounds, and the source of its value |
| \`GET\` and \`PATCH /api/settings\` | [api](api.md) |

All but the first edit the same file: they change one value, and every other byte of the file stays, including comments. Removing a value
removes its whole line, and the line of a group that becomes empty. Concurrent saves lose
nothing, and a crash leaves the old text or the new one. A saved setting takes effect at once, and [undo](undo.md) reverts it; ${READ_AT_START.map((name) => `\`${name}\``).join(", ")} take effect after \`mimikit restart\`.

Refused, with nothing saved: an unknown name, a value out of its bounds, a text that looks like a key or a password, a setting that
a variable of the running processes has set (the variable wins), a file with an error (correct its line first), a value that others refer to by an anchor, a
file behind a symbolic link (edit its target), and a state directory that is not [adopted](security.md#whose-state-directory-it-is).

Keys are no settings: they are in \`secrets.json\`, or in a variable, which a start [saves](security.md#keys-in-variables). Other variables apply to the
shell that starts the processes; \`mimikit config set\` saves their values for every shell.

## All of them

| setting | default | variable | |
|---|---|---|---|
${rows.join("\n")}

Directories:

| variable | default | |
|---|---|---|
| \`MIMIKIT_WORK_DIR\` | the directory \`npm start\` or \`mimikit up\` was called in; in Mimikit's own folder \`~/mimikit\` | the workspace: where commands run ([which directory](operations.md#which-directory-is-the-workspace)) |
| \`MIMIKIT_HOME\` | \`$MIMIKIT_WORK_DIR/.mimikit\` | the state directory; naming one adopts it ([adoption](security.md#whose-state-directory-it-is)) |
| \`XDG_STATE_HOME\` | \`~/.local/state\` | where the records of adopted state directories are |

This page is generated: \`npm run docs\`.
`;
}
