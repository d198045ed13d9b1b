/** The frame of the view that is open: its name, the way back, and what it shows, which is loaded when it is first opened. */
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type View, viewTitle } from "./i18n/view-names.ts";
import { words } from "./i18n/words.ts";
import { goHome, type ViewProps } from "./model/place.ts";
import { questions } from "./model/state.ts";
import { ArrowLeft } from "./ui/icons.tsx";
import { lazily } from "./ui/lazily.tsx";

const CONTENT: Record<View, ComponentType<ViewProps>> = {
  search: lazily(async () => (await import("./views/memory/search.tsx")).Search),
  tasks: lazily(async () => (await import("./views/tasks/board.tsx")).Board),
  triggers: lazily(async () => (await import("./views/triggers/triggers.tsx")).Triggers),
  backlog: lazily(async () => (await import("./views/backlog.tsx")).Backlog),
  memory: lazily(async () => (await import("./views/memory/memory.tsx")).Memory),
  skills: lazily(async () => (await import("./views/skills.tsx")).Skills),
  improvements: lazily(async () => (await import("./views/improvements.tsx")).Improvements),
  changes: lazily(async () => (await import("./views/changes.tsx")).Changes),
  usage: lazily(async () => (await import("./views/usage.tsx")).Usage),
  audit: lazily(async () => (await import("./views/audit.tsx")).Audit),
  settings: lazily(async () => (await import("./views/settings.tsx")).Settings),
  keys: lazily(async () => (await import("./views/keys.tsx")).Keys),
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
          {viewTitle(view)}
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
