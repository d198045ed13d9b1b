/** All assistants that are compared; a new one is a file beside these, and a line here. */
import type { Assistant } from "./assistant.ts";
import { eliza } from "./eliza.ts";
import { gemma } from "./gemma.ts";
import { mimikit } from "./mimikit.ts";
import { nanobot } from "./nanobot.ts";
import { openclaw } from "./openclaw.ts";
import { opencode } from "./opencode.ts";

export const ASSISTANTS: readonly Assistant[] = [mimikit, openclaw, nanobot, gemma, opencode, eliza];
