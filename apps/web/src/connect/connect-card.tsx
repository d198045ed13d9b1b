/** The card that connects a model: it says what that is, and opens the form. */
import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { overviewWords } from "../i18n/overview-words.ts";
import { lazily } from "../ui/lazily.tsx";
import "./connect.css";

const Connecting = lazily(async () => (await import("./connecting.tsx")).Connecting);

/** @param isWanted it is open from the beginning. Nothing is looked for before it is open. */
export function ConnectCard({ isWanted }: { isWanted: boolean }) {
  const id = useId();
  const isOpen = useSignal(isWanted);
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isWanted) return;
    isOpen.value = true;
    card.current?.scrollIntoView({ block: "nearest" });
  }, [isWanted]);
  return (
    <section class="connect" ref={card} aria-labelledby={id}>
      <h3 id={id}>{overviewWords.connectModel}</h3>
      <p>{overviewWords.connectAbout}</p>
      {isOpen.value ? (
        <Connecting />
      ) : (
        <button
          type="button"
          class="primary"
          onClick={() => {
            isOpen.value = true;
          }}
        >
          {overviewWords.connectOpen}
        </button>
      )}
    </section>
  );
}
