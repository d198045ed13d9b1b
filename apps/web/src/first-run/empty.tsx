/** A view, or a part of one, while nothing is in it: what will be here, and the one thing that makes the first of it. */
import type { ComponentChildren } from "preact";
import { CodedText } from "../ui/coded-text.tsx";

interface EmptyProps {
  /** Says what will be here, in one paragraph or more. */
  children: ComponentChildren;
  /** The name of the action; text in backticks is code. */
  action: string;
  /** Performs the action, or names the address that it leads to. */
  does: (() => void) | string;
}

export function Empty({ children, action, does }: EmptyProps) {
  return (
    <div class="teach empty">
      {children}
      {typeof does === "string" ? (
        <a class="option" href={does}>
          <CodedText text={action} />
        </a>
      ) : (
        <button type="button" class="option" onClick={does}>
          <CodedText text={action} />
        </button>
      )}
    </div>
  );
}
