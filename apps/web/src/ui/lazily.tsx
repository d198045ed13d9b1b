/** A part of the page that is loaded when it is first shown: whoever only talks never waits for it. */
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { words } from "../i18n/words.ts";

/** The component that `load` brings; until then a word says that it is coming, or that it could not. */
export function lazily<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const found = signal<{ Part: ComponentType<P> } | undefined>(undefined);
  const hasFailed = signal(false);
  let isAsked = false;
  const ask = () => {
    isAsked = true;
    load().then(
      (Part) => {
        found.value = { Part };
      },
      (error: unknown) => {
        // No connection, or another build has taken the place of this one: the browser says which.
        console.warn(error);
        hasFailed.value = true;
      },
    );
  };
  return function Lazy(props: P) {
    if (!isAsked) ask();
    if (found.value !== undefined) return <found.value.Part {...props} />;
    if (!hasFailed.value) return <p class="view-wait quiet">{words.opening}</p>;
    return (
      <p class="view-wait" role="alert">
        {words.openingFailed}{" "}
        <button type="button" class="link" onClick={() => location.reload()}>
          {words.reload}
        </button>
      </p>
    );
  };
}
