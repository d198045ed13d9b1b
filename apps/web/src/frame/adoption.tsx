/** Asks whether the state directory is the user's own, where it was not made here: the page lists everything that would run. */
import type { AdoptionView, HomeItem } from "@mimikit/protocol/wire/api";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { doorWords } from "../i18n/door-words.ts";
import { call } from "../model/call.ts";

/** In the order in which they are said. */
const KINDS = Object.keys(doorWords.adoption.kinds) as HomeItem["kind"][];

export function Adoption() {
  const known = useSignal<AdoptionView | undefined>(undefined);
  const isBusy = useSignal(false);
  useEffect(() => {
    void call<AdoptionView>("GET", "/api/adoption").then((view) => {
      known.value = view;
    });
  }, []);
  const accept = async () => {
    isBusy.value = true;
    known.value = (await call<AdoptionView>("POST", "/api/adoption", {})) ?? known.value;
    isBusy.value = false;
  };
  const view = known.value;
  if (view === undefined) return null;
  return (
    <section class="questions" aria-label={doorWords.adoption.title}>
      <article class="question" aria-labelledby="adoption-title" aria-busy={isBusy.value}>
        <h2 id="adoption-title">{doorWords.adoption.title}</h2>
        <p>{doorWords.adoption.text(view.home)}</p>
        {view.items.length === 0 && <p class="quiet">{doorWords.adoption.nothing}</p>}
        {KINDS.map((kind) => (
          <Items
            key={kind}
            title={doorWords.adoption.kinds[kind]}
            items={view.items.filter((item) => item.kind === kind)}
          />
        ))}
        {view.more > 0 && <p class="quiet">{doorWords.adoption.more(view.more)}</p>}
        {view.adopted ? (
          <p role="status">{doorWords.adoption.done}</p>
        ) : (
          <button type="button" class="primary" disabled={isBusy.value} onClick={() => void accept()}>
            {doorWords.adoption.accept}
          </button>
        )}
      </article>
    </section>
  );
}

function Items({ title, items }: { title: string; items: readonly HomeItem[] }) {
  if (items.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {items.map(({ text }) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  );
}
