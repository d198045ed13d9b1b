/** The input and the answer of a check of `mimikit doctor`. */
import type { Config } from "@mimikit/runtime/config/config";

export interface DoctorCheck {
  level: "ok" | "warn" | "fail";
  message: string;
  /** The next step. */
  next?: string;
}

export interface DoctorInput {
  home: string;
  workDir: string;
  config: Config;
  problems: string[];
  /** Is there a state directory at all? */
  exists: boolean;
}

export const ok = (message: string): DoctorCheck => ({ level: "ok", message });
export const warn = (message: string, next: string): DoctorCheck => ({ level: "warn", message, next });
export const fail = (message: string, next: string): DoctorCheck => ({ level: "fail", message, next });
