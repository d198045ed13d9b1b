/** The platform that this process runs on. `MIMIKIT_PLATFORM=portable` chooses the portable one anywhere, for tests: never on a home that runs. */
import { linux } from "./linux.ts";
import type { Platform } from "./platform.ts";
import { portable } from "./portable.ts";

export const PLATFORM_VARIABLE = "MIMIKIT_PLATFORM";

/** `linux`, `darwin`, …: for people, never to choose by. */
export const OS = process.platform;
/** The system as packages with programs are named after it: `linux-x64`. */
export const TARGET = `${process.platform}-${process.arch}`;

export const platform: Platform =
  process.platform === "linux" && process.env[PLATFORM_VARIABLE] !== "portable" ? linux : portable;
