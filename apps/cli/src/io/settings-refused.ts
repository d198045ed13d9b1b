/** Settings that are refused, as failures of a command. */
import { SettingsRefused } from "@mimikit/runtime/config/edit-settings";
import { Failure } from "./failure.ts";

/** @throws Failure in place of SettingsRefused. */
export async function refusedAsFailure<T>(save: () => Promise<T>): Promise<T> {
  try {
    return await save();
  } catch (error) {
    if (!(error instanceof SettingsRefused)) throw error;
    throw new Failure(error.reason === "mistake" ? "usage" : "failed", error.message);
  }
}
