/** Moments in the language of the reader, on the clock of this machine. */
import { speaksChinese } from "./language.ts";

const locale = () => (speaksChinese() ? "zh-CN" : undefined);

/** The day and the time. @param at anything that `Date` takes. */
export const momentText = (at: string | number | Date): string => new Date(at).toLocaleString(locale());

/** The time alone. @param at anything that `Date` takes. */
export const clockText = (at: string | number | Date): string => new Date(at).toLocaleTimeString(locale());

const ISO_MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** A sentence with the moments in it as `momentText` writes them. */
export const withLocalMoments = (text: string): string => text.replace(ISO_MOMENT, (at) => momentText(at));
