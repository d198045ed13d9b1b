/** Every channel there is. Each is loaded only where it is set up, or is being set up. */
import type { ChannelKind } from "../contract/channel.ts";

export const CHANNELS: Readonly<Record<string, () => Promise<ChannelKind>>> = {
  // One line for each.
  telegram: async () => (await import("./telegram.ts")).telegram,
  ntfy: async () => (await import("./ntfy.ts")).ntfy,
};
