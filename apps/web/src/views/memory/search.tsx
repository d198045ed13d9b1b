/** Looks for words in what was said, leads to the place where they were said, and shows what memory holds about them. */
import type { HistoryHit, MemoryAnswer } from "@mimikit/protocol/wire/api";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { bringMessage } from "../../conversation/long/earlier-messages.ts";
import { showMessage } from "../../conversation/show-message.ts";
import { Empty } from "../../first-run/empty.tsx";
import { firstWords } from "../../i18n/first-words.ts";
import { viewWords } from "../../i18n/view-words.ts";
import { dateText, momentText, words } from "../../i18n/words.ts";
import { refusalIn } from "../../model/call.ts";
import { nowMs } from "../../model/clock.ts";
import { addressOf, go, goHome, type ViewProps } from "../../model/place.ts";
import { request } from "../../model/session.ts";
import { messages, notice } from "../../model/state.ts";
import { useAnswer } from "../../model/use-answer.ts";
import { piecesOf } from "../../ui/found-in.ts";
import { saveBlob } from "../../ui/save-blob.ts";
import "./search.css";

/** A pause in the typing of this length is when it is looked for. */
const PAUSE_MS = 250;
const HITS_MAX = 20;
/** The gateway's limit for a query. */
const QUERY_CHARS_MAX = 1_000;

export function Search({ detail = "" }: ViewProps) {
  const typed = useSignal(detail);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  /** The text that this field has put into the address: text typed since is newer. */
  const asked = useRef(detail);
  useEffect(() => {
    if (detail !== asked.current) typed.value = detail;
    asked.current = detail;
  }, [detail]);
  // The address keeps what is looked for, so that the way back from a message leads here again.
  useEffect(() => {
    const text = typed.value.trim();
    if (text === detail) return;
    const timer = setTimeout(() => {
      asked.current = text;
      go("search", text === "" ? undefined : text);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  const tryAnew = () => {
    typed.value = "";
    field.current?.focus();
  };
  return (
    <div class="search">
      <search>
        <label class="unseen" for="search-field">
          {viewWords.searchLabel}
        </label>
        <input
          id="search-field"
          ref={field}
          type="search"
          maxLength={QUERY_CHARS_MAX}
          placeholder={viewWords.searchPlaceholder}
          autocomplete="off"
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
      </search>
      {detail === "" && messages.value.length === 0 && (
        <Empty action={firstWords.sayFirst} does={goHome}>
          <p>{viewWords.searchTeach}</p>
        </Empty>
      )}
      {detail === "" && messages.value.length > 0 && (
        <>
          <p class="teach">{viewWords.searchTeach}</p>
          <p class="teach options">
            <button type="button" class="option" onClick={() => void takeAlong("md")}>
              {viewWords.exportMarkdown}
            </button>
            <button type="button" class="option" onClick={() => void takeAlong("json")}>
              {viewWords.exportJson}
            </button>
          </p>
        </>
      )}
      {detail !== "" && (
        <>
          <Said query={detail} tryAnew={tryAnew} />
          <Remembered query={detail} />
        </>
      )}
    </div>
  );
}

/** Long enough for all that was said in years, in milliseconds. */
const EXPORT_MS_MAX = 60_000;

/** Saves everything that was ever said as a file. */
async function takeAlong(format: "md" | "json"): Promise<void> {
  const answer = await request("GET", `api/history/export?format=${format}`, undefined, EXPORT_MS_MAX);
  if (answer?.ok) saveBlob(await answer.blob(), `mimikit-conversation.${format}`);
  else notice.value = answer === undefined ? words.notConnected : await refusalIn(answer);
}

/** Messages of the conversation, by anybody at any time. */
function Said({ query, tryAnew }: { query: string; tryAnew: () => void }) {
  const path = `api/history/search?${new URLSearchParams({ q: query, limit: String(HITS_MAX) })}`;
  const { answer, isLooking } = useAnswer<{ hits: HistoryHit[] }>(path);
  if (answer === undefined) return isLooking ? <p class="quiet">{words.looking}</p> : null;
  const { hits } = answer;
  return (
    <section aria-busy={isLooking} aria-label={viewWords.said}>
      {hits.length > 0 ? (
        <p class="quiet" role="status">
          {viewWords.found(hits.length)}
        </p>
      ) : (
        <Empty action={firstWords.otherWords} does={tryAnew}>
          <p role="status">{viewWords.searchNothing(query)}</p>
        </Empty>
      )}
      <ol class="hits">
        {hits.map((hit) => (
          <li key={hit.id} class="hit" data-hit={hit.id} data-role={hit.role}>
            <Hit hit={hit} query={query} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Notes, summaries and documents of memory about it. Where it holds nothing, what was said is answer enough. */
function Remembered({ query }: { query: string }) {
  const path = `api/memory/search?${new URLSearchParams({ q: query, limit: String(HITS_MAX) })}`;
  const { answer, isLooking } = useAnswer<MemoryAnswer>(path);
  if (answer === undefined || answer.hits.length === 0) return null;
  return (
    <section aria-busy={isLooking} aria-label={viewWords.remembered}>
      <h3>{viewWords.remembered}</h3>
      <ol class="hits">
        {answer.hits.map(({ source, text, at }, i) => (
          <li key={`${source} ${i}`} class="hit" data-source={source}>
            <p class="hit-top">
              <a href={addressOf("memory", source)}>{source}</a>
              {at !== undefined && <time dateTime={at}>{dateText(at, nowMs.value)}</time>}
            </p>
            <p class="hit-text">
              <Highlighted text={text} query={query} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

const SPEAKERS = { user: words.you, assistant: words.assistant, system: words.notice };

function Hit({ hit: { id, role, at, text, origin }, query }: { hit: HistoryHit; query: string }) {
  const isMissing = useSignal(false);
  const show = async () => {
    isMissing.value = !(await bringMessage(id));
    if (isMissing.value) return;
    goHome();
    showMessage(id);
  };
  return (
    <>
      <p class="hit-top">
        <b>{SPEAKERS[role]}</b>
        <time dateTime={at}>{momentText(at, nowMs.value)}</time>
        {origin !== undefined ? (
          // It was said elsewhere, so the conversation does not hold it.
          <span>{origin}</span>
        ) : isMissing.value ? (
          <span role="alert">{viewWords.notLoaded}</span>
        ) : (
          <button type="button" class="link" onClick={() => void show()}>
            {viewWords.showThere}
          </button>
        )}
      </p>
      <p class="hit-text">
        <Highlighted text={text} query={query} />
      </p>
    </>
  );
}

/** Marks in a text what was looked for. */
function Highlighted({ text, query }: { text: string; query: string }) {
  return (
    <>{piecesOf(text, query).map((piece, i) => (piece.isFound ? <mark key={i}>{piece.text}</mark> : piece.text))}</>
  );
}
