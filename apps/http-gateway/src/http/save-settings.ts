/** Saves settings for a route. */
import { codeOrQuote } from "@mimikit/protocol/texts/coded";
import { editSettings, type SettingChange, SettingsRefused } from "@mimikit/runtime/config/edit-settings";
import type { Environment } from "@mimikit/runtime/home/home";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { HttpProblem } from "./problem.ts";

/** All of the changes, or none. @throws HttpProblem 400 for a mistake in them, 409 where they cannot be saved as things are. */
export async function saveSettings(
  { home, fs, environment }: { home: string; fs: FileSystem; environment: Environment },
  changes: readonly SettingChange[],
): Promise<void> {
  try {
    await editSettings({ fs, home, env: environment }, changes);
  } catch (error) {
    if (!(error instanceof SettingsRefused)) throw error;
    throw new HttpProblem(error.reason === "mistake" ? 400 : 409, codeOrQuote(error.message));
  }
}
