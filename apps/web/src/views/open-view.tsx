/** The frame of the view that is open: its name, the way back, and what it shows, which is loaded when it is first opened. */
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ArrowLeft } from "../icons.tsx";
import { lazily } from "../lazily.tsx";
import { goHome } from "../place.ts";
import { questions } from "../state.ts";
import type { View } from "../view-names.ts";
import type { ViewProps } from "../views.tsx";
import { words } from "../words.ts";

const CONTENT: Record<View, ComponentType<ViewProps>> = {
  search: lazily(async () => (await import("./search.tsx")).Search),
  tasks: lazily(async () => (await import("./board.tsx")).Board),
  triggers: lazily(async () => (await import("./triggers.tsx")).Triggers),
  backlog: lazily(async () => (await import("./backlog.tsx")).Backlog),
  memory: lazily(async () => (await import("./memory.tsx")).Memory),
  skills: lazily(async () => (await import("./skills.tsx")).Skills),
  improvements: lazily(async () => (await import("./improvements.tsx")).Improvements),
  changes: lazily(async () => (await import("./changes.tsx")).Changes),
  usage: lazily(async () => (await import("./usage.tsx")).Usage),
  audit: lazily(async () => (await import("./audit.tsx")).Audit),
  settings: lazily(async () => (await import("./settings.tsx")).Settings),
  keys: lazily(async () => (await import("./keys.tsx")).Keys),
};

export function OpenView({ view, detail }: ViewProps & { view: View }) {
  const root = useRef<HTMLElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // A view that has a field for it takes the focus itself.
    if (!root.current?.contains(document.activeElement)) title.current?.focus();
    const onKeyDown = (event: KeyboardEvent) => {
      const isElsewhere = document.querySelector("dialog[open], :popover-open") !== null;
      if (event.key === "Escape" && !event.defaultPrevented && !event.isComposing && !isElsewhere) goHome();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
  // Whoever has followed a link within the view, which is gone with what was shown, is at the beginning of the next.
  useEffect(() => {
    if (document.activeElement === document.body) title.current?.focus();
  }, [detail]);
  const Content = CONTENT[view];
  return (
    <section class="view" ref={root} data-view={view} aria-labelledby="view-title">
      <div class="view-top">
        <button
          type="button"
          class="plain"
          aria-label={words.backToConversation}
          title={words.backToConversation}
          onClick={goHome}
        >
          <ArrowLeft />
        </button>
        <h2 id="view-title" ref={title} tabIndex={-1}>
          {words.views[view]}
        </h2>
        {questions.value.size > 0 && (
          <button type="button" class="waits" onClick={goHome}>
            {words.questionsWait(questions.value.size)}
          </button>
        )}
      </div>
      <div class="view-body">
        <Content detail={detail} />
      </div>
    </section>
  );
}
