/** Is each channel that is set up connected? */

import { readChannels } from "@mimikit/runtime/config/secrets";
import { HomeError } from "@mimikit/runtime/home/home";
import { readChannelStates } from "@mimikit/store/views/channel-states";
import { nameIn, t, told } from "../i18n/language.ts";
import { withDisk } from "../instance/state.ts";
import { livingRoles } from "../processes/instance.ts";
import { type DoctorCheck, type DoctorInput, fail, ok, warn } from "./check.ts";

/** Nothing is said where none is set up. */
export async function checkChannels({ home, exists }: DoctorInput): Promise<DoctorCheck[]> {
  if (!exists) return [];
  try {
    const names = Object.keys(readChannels(home, process.env));
    if (names.length === 0) return [];
    if (!livingRoles(home).has("channels")) return [warn(t("the channels are not running"), "mimikit up")];
    const states = await withDisk(home, readChannelStates);
    return names.map((name) => {
      const { state, detail = "" } = states[name] ?? { state: "starting" };
      return state === "connected"
        ? ok(t("{name} is connected", { name }))
        : warn(
            t("{name} is {state}: {detail}", { name, state: nameIn(state), detail: told(detail) }),
            "mimikit channels",
          );
    });
  } catch (error) {
    if (error instanceof HomeError) return [fail(error.message, "mimikit channels add")];
    throw error;
  }
}
