/** Which answers to a question can be buttons: all of them, each of them whole, or none. A hidden or shortened one may be the no. */
import type { Question } from "@mimikit/protocol/records/question";

/** The room that a place has for buttons. */
export interface ButtonRoom {
  countMax: number;
  /** Does this label fit without being shortened? */
  fits(label: string): boolean;
}

/** The options of a question as labels of buttons, in their order; null where there are none, or one of them has no room. */
export function buttonsFor(
  { options }: Pick<Question, "options">,
  { countMax, fits }: ButtonRoom,
): readonly string[] | null {
  return options.length > 0 &&
    options.length <= countMax &&
    options.every((label) => label.trim() !== "" && fits(label))
    ? options
    : null;
}
