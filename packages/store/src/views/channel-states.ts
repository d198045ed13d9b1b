/** How each channel does, as its process has said last. */
import { BadJson } from "@mimikit/protocol/base/json";
import { ChannelState } from "@mimikit/protocol/channels/records";
import { hasCode } from "../disk/error-code.ts";
import type { FileSystem } from "../disk/file-system.ts";
import { readRecord } from "../disk/record.ts";
import { CHANNELS, channelStatePath } from "../disk/state.ts";

/** By the name of the channel; without those of which nothing is known yet. */
export async function readChannelStates(fs: FileSystem): Promise<Record<string, ChannelState>> {
  const states: Record<string, ChannelState> = {};
  for (const name of await namesOf(fs)) {
    try {
      const state = await readRecord(fs, ChannelState, channelStatePath(name));
      if (state !== null) states[name] = state;
    } catch (error) {
      if (!(error instanceof BadJson)) throw error;
    }
  }
  return states;
}

async function namesOf(fs: FileSystem): Promise<string[]> {
  try {
    return await fs.list(CHANNELS);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}
