/** Whose packages this system has. */
import { readFileSync } from "node:fs";
import { hasCode } from "@mimikit/store/disk/error-code";

export type System = "debian" | "fedora" | "arch" | "macos";

/** Of /etc/os-release: what the system is, or is like. */
const LIKE: Readonly<Record<string, System>> = {
  debian: "debian",
  ubuntu: "debian",
  fedora: "fedora",
  rhel: "fedora",
  arch: "arch",
};

/** null where it is none of those whose commands are known. */
export function thisSystem(): System | null {
  if (process.platform === "darwin") return "macos";
  try {
    return systemIn(readFileSync("/etc/os-release", "utf8"));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** The system that an os-release(5) file describes; null where it is none of ours. */
export function systemIn(release: string): System | null {
  const names = [...release.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(([, text = ""]) => text.split(" "));
  const known = names.find((name) => name in LIKE);
  return known === undefined ? null : (LIKE[known] ?? null);
}
