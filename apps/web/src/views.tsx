/**
 * The views over the conversation, one at a time: the frame of the one that is open, with its name and the way back, is
 * here from the start, so that Escape works whatever comes of its content. The conversation stays as it is beneath.
 */
import { useEffect, useRef } from "preact/hooks";
import { sectionOf, sectionTitle, type ViewName, viewsOf, viewTitle } from "./i18n/view-names.ts";
import { words } from "./i18n/words.ts";
import { connection } from "./model/connection.ts";
import { addressOf, goHome, isBeside, place, type ViewProps } from "./model/place.ts";
import { questions } from "./model/state.ts";
import { ArrowLeft } from "./ui/icons.tsx";
import { type LazyPart, lazily } from "./ui/lazily.tsx";
import "./views.css";

/** Longest wait for an idle moment, where the browser knows of none: nothing waits for what is loaded then. */
const IDLE_MS = 2000;

const CONTENT: Record<ViewName, LazyPart<ViewProps>> = {
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

/** Loads every view in an idle moment, so that each opens while the gateway is away, too. @returns how to give it up */
function loadWhenIdle(): () => void {
  const load = () => void Promise.all(Object.values(CONTENT).map((part) => part.load()));
  if (!("requestIdleCallback" in window)) {
    const timer = setTimeout(load, IDLE_MS);
    return () => clearTimeout(timer);
  }
  const idle = requestIdleCallback(load, { timeout: IDLE_MS });
  return () => cancelIdleCallback(idle);
}

/** Shows the view that the address names; Escape leads back to the conversation. */
export function Views() {
  const { view, detail } = place.value;
  const isConnected = connection.value.state === "connected";
  useEffect(() => (isConnected ? loadWhenIdle() : undefined), [isConnected]);
  const wasOpen = useRef(false);
  useEffect(() => {
    // The user who closed the view may have moved the focus elsewhere; on a touch screen it would open the keyboard.
    const isFree = document.activeElement === document.body && matchMedia("(hover: hover)").matches;
    if (wasOpen.current && view === undefined && isFree) document.getElementById("message")?.focus();
    wasOpen.current = view !== undefined;
  }, [view]);
  return view === undefined ? null : <OpenView key={view} view={view} detail={detail} />;
}

function OpenView({ view, detail }: ViewProps & { view: ViewName }) {
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
  // A user who follows a link within the view, which is gone with its content, is at the beginning of the next.
  useEffect(() => {
    if (document.activeElement === document.body) title.current?.focus();
  }, [detail]);
  const Content = CONTENT[view];
  return (
    // Beside the conversation it is a part of the page; over it, it is what the page is about.
    <section
      class="view"
      ref={root}
      data-view={view}
      role={isBeside.value ? undefined : "main"}
      aria-labelledby="view-title"
    >
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
        <Siblings view={view} />
        {questions.value.size > 0 && (
          <button type="button" class="waits" onClick={goHome}>
            {words.questionsWait(questions.value.size)}
          </button>
        )}
      </div>
      {/* A region that scrolls must be reachable, or the keyboard cannot read it. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs focus to be scrolled by keyboard */}
      <div class="view-body" role="group" aria-labelledby="view-title" tabIndex={0}>
        <Content detail={detail} />
      </div>
    </section>
  );
}

/** The views of the same section. */
function Siblings({ view }: { view: ViewName }) {
  const section = sectionOf(view);
  const views = viewsOf(section);
  if (views.length < 2) return null;
  return (
    <nav class="siblings" aria-label={sectionTitle(section)}>
      {views.map((one) => (
        <a key={one} href={addressOf(one)} aria-current={one === view ? "page" : undefined}>
          {viewTitle(one)}
        </a>
      ))}
    </nav>
  );
}
