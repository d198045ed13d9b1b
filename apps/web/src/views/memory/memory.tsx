/** The content of memory: its files, recent additions, a way to add to it, and each file to be read. */
import type { MemoryBody, MemoryStatus } from "@mimikit/protocol/wire/api";
import { useSignal } from "@preact/signals";
import { Empty } from "../../first-run/empty.tsx";
import { firstWords } from "../../i18n/first-words.ts";
import { viewTitle } from "../../i18n/view-names.ts";
import { viewWords } from "../../i18n/view-words.ts";
import { numberText, words } from "../../i18n/words.ts";
import { nowMs } from "../../model/clock.ts";
import { connection } from "../../model/connection.ts";
import { go, type ViewProps } from "../../model/place.ts";
import { sendCommand } from "../../model/send-command.ts";
import { useAnswer } from "../../model/use-answer.ts";
import { Select } from "../../ui/select.tsx";
import { ChangesOf, changes, lookForChanges } from "../changes.tsx";
import { readDetail } from "./entry-detail.ts";
import { MemoryReader, SourceRow } from "./memory-files.tsx";
import "../kept.css";

const LOOK_EVERY_MS = 5_000;
/** The gateway's limit. */
const CONTENT_CHARS_MAX = 2_000;

const FIELD_ID = "to-remember";

/** Where something is kept. */
const PLACES = ["good", "day", "profile", "persona"] as const;
type Place = (typeof PLACES)[number];

export function Memory({ detail }: ViewProps) {
  if (detail === undefined) return <Overview />;
  const { file, entry } = readDetail(detail);
  return <MemoryReader key={detail} name={file} sought={entry} />;
}

function Overview() {
  const added = changes.value?.find(({ what }) => what === "memory")?.id;
  // A change is decided an instant before the file has it, so that one look after it is not enough.
  const version = `${added} ${Math.floor(nowMs.value / LOOK_EVERY_MS)}`;
  const { answer, isLooking } = useAnswer<MemoryStatus>("api/memory/status", version);
  return (
    <div class="kept" aria-busy={isLooking}>
      <Find />
      <Add />
      <ChangesOf what="memory" />
      {answer === undefined && isLooking && <p class="quiet">{words.looking}</p>}
      {answer !== undefined && <Sources status={answer} />}
      {answer?.sources.length === 0 ? (
        <Empty action={firstWords.firstMemory} does={() => document.getElementById(FIELD_ID)?.focus()}>
          <p>{viewWords.memoryEmpty}</p>
          <p>{viewWords.memoryTeach}</p>
        </Empty>
      ) : (
        <p class="teach">{viewWords.memoryTeach}</p>
      )}
    </div>
  );
}

/** The results are a view of their own. */
function Find() {
  const typed = useSignal("");
  return (
    <search>
      <form
        class="kept-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.value.trim() !== "") go("search", typed.value.trim());
        }}
      >
        <input
          type="search"
          aria-label={viewWords.memorySearch}
          placeholder={viewWords.memorySearchIn}
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class="secondary" disabled={typed.value.trim() === ""}>
          {viewTitle("search")}
        </button>
      </form>
    </search>
  );
}

function Add() {
  const typed = useSignal("");
  const place = useSignal<Place>("good");
  const isAtWork = useSignal(false);
  const isReady = typed.value.trim() !== "" && !isAtWork.value && connection.value.state === "connected";
  const add = async () => {
    const content = typed.value;
    // It is cleared at once, so that what is typed meanwhile stays; what was refused comes back where nothing new was typed.
    typed.value = "";
    isAtWork.value = true;
    try {
      const isAccepted = await sendCommand("api/memory", bodyOf(content.trim(), place.value), async () => {
        await lookForChanges();
        return changes.value?.map(({ id }) => id);
      });
      if (!isAccepted && typed.value === "") typed.value = content;
    } finally {
      isAtWork.value = false;
    }
  };
  return (
    <form
      class="kept-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void add();
      }}
    >
      <label for={FIELD_ID}>{viewWords.memoryAdd}</label>
      <textarea
        id={FIELD_ID}
        rows={2}
        placeholder={viewWords.memoryPlaceholder}
        maxLength={CONTENT_CHARS_MAX}
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
        }}
      />
      <label>
        <span class="unseen">{viewWords.memoryPlace}</span>
        <Select
          options={PLACES}
          textOf={(one) => viewWords.memoryPlaces[one]}
          chosen={place.value}
          onChoose={(one) => {
            place.value = one;
          }}
        />
      </label>
      <button type="submit" class="primary" disabled={!isReady}>
        {viewWords.remember}
      </button>
    </form>
  );
}

function bodyOf(content: string, place: Place): MemoryBody {
  const target = place === "profile" || place === "persona" ? place : undefined;
  return { content, longTerm: place === "good", ...(target !== undefined && { target }) };
}

function Sources({ status: { sources, unarchived } }: { status: MemoryStatus }) {
  return (
    <section>
      <h3>{viewWords.memoryFiles}</h3>
      <ul class="sources">
        {sources.map((kind) => (
          <li key={kind.source} data-source={kind.source}>
            <SourceRow kind={kind} />
          </li>
        ))}
      </ul>
      {unarchived > 0 && <p class="quiet">{viewWords.unarchived(numberText(unarchived))}</p>}
    </section>
  );
}
