/** `/api/settings`: what can be set, and how it is set; a change is saved in config.yaml, and can be undone (SPEC J3). */

import { withCodes } from "@mimikit/protocol/texts/coded";
import { SettingsAnswer, SettingsBody } from "@mimikit/protocol/wire/api";
import { loadConfig } from "@mimikit/runtime/config/config";
import { describeSettings } from "@mimikit/runtime/config/describe-settings";
import { missingOf } from "@mimikit/runtime/requirements";
import type { RouteDeps } from "../api/parts.ts";
import { route } from "../api/route.ts";
import { saveSettings } from "../http/save-settings.ts";

export const settings = route({
  method: "get",
  path: "/api/settings",
  summary:
    "all settings: description, allowed values, value, and whether it is the `default`, from the `file` config.yaml or from the `environment` ([configuration](configuration.md))",
  status: 200,
  answer: SettingsAnswer,
  handle: (_asked, parts) => answerOf(parts),
});

export const patchSettings = route({
  method: "patch",
  path: "/api/settings",
  summary:
    "saves settings in config.yaml, all or none, and returns them afterwards; a `value` of null removes one, so that its default applies",
  body: SettingsBody,
  status: 200,
  answer: SettingsAnswer,
  errors: { 409: "set by a variable, which takes precedence, or config.yaml cannot be edited as it is" },
  handle: async ({ body }, parts) => {
    await saveSettings(
      parts,
      body.changes.map(({ name, value }) => ({ name, value: value ?? undefined })),
    );
    return answerOf(parts);
  },
});

async function answerOf({ home, environment }: RouteDeps): Promise<SettingsAnswer> {
  const { config } = loadConfig(home, environment);
  return {
    settings: describeSettings(home, environment),
    ...withCodes({ missing: await missingOf(config, environment) }),
  };
}
