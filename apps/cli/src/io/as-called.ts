/** Hints name commands; people copy them. */
import { commandName } from "@mimikit/runtime/home/command-name";

/** A command of ours where a hint has one: behind two blanks, or a colon, a bracket or a comma and one. */
const COMMAND = /(?<=^| {2}|[:,] |\()mimikit(?= [a-z])/g;

/** The hint with each command as it can be called here, which need not be `mimikit`. */
export function asCalled(hint: string): string {
  return hint.replace(COMMAND, () => commandName(process.env));
}
