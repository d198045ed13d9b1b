/** Moments in the language of the reader, on the clock of this machine. */
import { speaksChinese } from "./language.ts";

const locale = () => (speaksChinese() ? "zh-CN" : undefined);

/** The day and the time. @param at anything that `Date` takes. */
export const momentText = (at: string | number | Date): string => new Date(at).toLocaleString(locale());

/** The time alone. @param at anything that `Date` takes. */
export const clockText = (at: string | number | Date): string => new Date(at).toLocaleTimeString(locale());
