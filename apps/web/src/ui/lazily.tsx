/** A part of the page that is loaded when it is first shown: a plain conversation never waits for it. */
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { words } from "../i18n/words.ts";

/** A component, and a way to load it before it is shown, or again; the component itself says that it could not be. */
export type LazyPart<P> = ComponentType<P> & { load: () => Promise<void> };

/** The component that `bring` brings; until then a word says that it is coming, or that it could not. */
export function lazily<P extends object>(bring: () => Promise<ComponentType<P>>): LazyPart<P> {
  const found = signal<{ Part: ComponentType<P> } | undefined>(undefined);
  const hasFailed = signal(false);
  let loading: Promise<void> | undefined;
  const load = () => {
    loading ??= bring().then(
      (Part) => {
        found.value = { Part };
      },
      (error: unknown) => {
        // No connection, or another build has taken the place of this one: the browser says which.
        console.warn(error);
        hasFailed.value = true;
        loading = undefined;
      },
    );
    return loading;
  };
  const Lazy = (props: P) => {
    if (!hasFailed.value) void load();
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
  return Object.assign(Lazy, { load });
}
