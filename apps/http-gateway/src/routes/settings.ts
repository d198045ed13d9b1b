/** `/api/settings`: what can be set, and how it is set; a change is saved in config.yaml, and can be taken back (SPEC J3). */

import { SettingsAnswer, SettingsBody } from "@mimikit/protocol/wire/api";
import { describeSettings } from "@mimikit/runtime/config/describe-settings";
import { editSettings, SettingsRefused } from "@mimikit/runtime/config/edit-settings";
import { route } from "../api/route.ts";
import { Problem } from "../http/problem.ts";

export const settings = route({
  method: "get",
  path: "/api/settings",
  summary:
    "every setting: what it is, what it may be, its value, and whether that is the `default`, from the `file` config.yaml or " +
    "from the `environment` ([configuration](configuration.md))",
  status: 200,
  answer: SettingsAnswer,
  handle: (_asked, { home, environment }) => ({ settings: describeSettings(home, environment) }),
});

export const patchSettings = route({
  method: "patch",
  path: "/api/settings",
  summary:
    "saves settings in config.yaml, all or none, and answers them as they are then; a `value` of null takes one out, so " +
    "that its default counts",
  body: SettingsBody,
  status: 200,
  answer: SettingsAnswer,
  errors: { 409: "a variable has set it, which wins, or config.yaml cannot be edited as it is" },
  handle: async ({ body }, { home, fs, environment }) => {
    const changes = body.changes.map(({ name, value }) => ({ name, value: value ?? undefined }));
    try {
      await editSettings({ fs, home, env: environment }, changes);
    } catch (error) {
      if (!(error instanceof SettingsRefused)) throw error;
      throw new Problem(error.reason === "mistake" ? 400 : 409, error.message);
    }
    return { settings: describeSettings(home, environment) };
  },
});
