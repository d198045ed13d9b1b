/** The tasks that are about to be cancelled, each with a way to take that back. */
import { words } from "../i18n/words.ts";
import { type Cancellation, cancellations, takeBack } from "../ui/cancel-soon.ts";
import { CodedText } from "../ui/coded-text.tsx";

export function Cancellations() {
  return cancellations.value.map((cancellation) => (
    <div key={cancellation.taskIds.join(" ")} class="notice soon">
      <span class="what">
        <CodedText text={nameOf(cancellation)} />
      </span>
      <button type="button" class="link" onClick={() => takeBack(cancellation)}>
        {words.undoCancel}
      </button>
    </div>
  ));
}

function nameOf({ title, taskIds }: Cancellation): string {
  return title === undefined ? words.cancelsTasks(taskIds.length) : words.cancels(title);
}
