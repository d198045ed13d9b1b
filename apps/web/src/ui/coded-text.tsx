/** One line of text in which what stands in `backticks` is code. All of it stays text: nothing in it is HTML. */
import { Fragment } from "preact";

export function CodedText({ text }: { text: string }) {
  // Text between a pair of backticks is at the odd places; a backtick without a partner is itself.
  const parts = text.split(/`([^`]+)`/);
  return (
    <>{parts.map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : <Fragment key={i}>{part}</Fragment>))}</>
  );
}
