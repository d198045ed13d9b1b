/** The page saves settings (docs/api.md). */
import type { SettingsAnswer, SettingsBody } from "@mimikit/protocol/wire/api";
import { words } from "../i18n/words.ts";
import { read, refusalIn } from "./call.ts";
import { request } from "./session.ts";

/** Saves all of the changes, or none. @returns the settings as they are then, or why nothing was saved. */
export async function saveSettings(changes: SettingsBody["changes"]): Promise<SettingsAnswer | { problem: string }> {
  const answer = await request("PATCH", "api/settings", { changes });
  if (answer === undefined) return { problem: words.notConnected };
  return answer.ok ? read<SettingsAnswer>(await answer.text()) : { problem: await refusalIn(answer) };
}
