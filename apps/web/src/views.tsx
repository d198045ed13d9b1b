/** The views over the conversation, one at a time. The conversation stays as it is beneath them. */
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ArrowLeft } from "./icons.tsx";
import { lazily } from "./lazily.tsx";
import { goHome, place, type View } from "./place.ts";
import { questions } from "./state.ts";
import { words } from "./words.ts";
import "./views.css";

export interface ViewProps {
  /** What of the view is meant: an id, or what is looked for. */
  detail: string | undefined;
}

const CONTENT: Record<View, ComponentType<ViewProps>> = {
  search: lazily(async () => (await import("./views/search.tsx")).Search),
  tasks: lazily(async () => (await import("./views/board.tsx")).Board),
  triggers: lazily(async () => (await import("./views/triggers.tsx")).Triggers),
  changes: lazily(async () => (await import("./views/changes.tsx")).Changes),
  usage: lazily(async () => (await import("./views/usage.tsx")).Usage),
  audit: lazily(async () => (await import("./views/audit.tsx")).Audit),
  settings: lazily(async () => (await import("./views/settings.tsx")).Settings),
};

/** Shows the view that the address names; Escape leads back to the conversation. */
export function Views() {
  const { view, detail } = place.value;
  const wasOpen = useRef(false);
  useEffect(() => {
    // Whoever closed the view may have led the focus elsewhere; on a touch screen it would open the keyboard.
    const isFree = document.activeElement === document.body && matchMedia("(hover: hover)").matches;
    if (wasOpen.current && view === undefined && isFree) document.getElementById("message")?.focus();
    wasOpen.current = view !== undefined;
  }, [view]);
  if (view === undefined) return null;
  return <OpenView key={view} view={view} detail={detail} />;
}

function OpenView({ view, detail }: ViewProps & { view: View }) {
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
