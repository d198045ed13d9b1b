/** Hints name commands; people copy them. */
import { commandName } from "@mimikit/runtime/home/command-name";
import { speaksChinese } from "../i18n/language.ts";

/** A command of ours where a hint has one: behind two blanks, or a colon, a bracket or a comma and one. */
const COMMAND = /(?<=^| {2}|[:,] |\()mimikit(?= [a-z])/g;
/** Chinese has its own punctuation, and one blank beside a word of another script. */
const COMMAND_IN_CHINESE = /(?<=^| {2}|[:,] |\(|[：，；（]|[\p{Script=Han}…] )mimikit(?= [a-z])/gu;

/** The hint with each command as it can be called here, which need not be `mimikit`. */
export function asCalled(hint: string): string {
  return hint.replace(speaksChinese() ? COMMAND_IN_CHINESE : COMMAND, () => commandName(process.env));
}
