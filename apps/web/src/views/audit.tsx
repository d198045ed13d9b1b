/** The audit lines of the processes, newest first, with a filter over those that are loaded. */

import type { AuditLine } from "@mimikit/protocol/records/audit";
import type { AuditAnswer } from "@mimikit/protocol/wire/api";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Empty } from "../first-run/empty.tsx";
import { firstWords } from "../i18n/first-words.ts";
import { viewWords } from "../i18n/view-words.ts";
import { momentText, words } from "../i18n/words.ts";
import { call } from "../model/call.ts";
import { nowMs } from "../model/clock.ts";
import { connection } from "../model/connection.ts";
import { addressOf, goHome, replace, type ViewProps } from "../model/place.ts";
import { status, tasks } from "../model/state.ts";
import { Select } from "../ui/select.tsx";
import "./audit.css";

const PAGE_LINES = 100;
/** A tab may stay open for weeks: beyond this the oldest lines go. */
const LINES_MAX = 2_000;
const LOOK_EVERY_MS = 2_000;
/** A pause in the typing of this length is when the address takes it over. */
const PAUSE_MS = 250;
/** None of them is all of them. */
const ACTORS = ["", "supervisor", "workers", "gateway"] as const;
const ACTORS_WITH_CHANNELS = [...ACTORS, "channels"] as const;
/** Turns are work of the Teller and have no page of their own. */
const TURN_ID = /^t-\d+$/;

/** `detail` is what is looked for: the address keeps it, so that a link leads to some lines of it. */
export function Audit({ detail = "" }: ViewProps) {
  const actor = useSignal<AuditLine["actor"] | "">("");
  const event = useSignal("");
  const sought = useSignal(detail);
  const { lines, isLooking, bringOlder } = useTrail(actor.value);
  const events = [...new Set(lines.map((line) => line.event))].sort();
  const shown = lines.filter((line) => (event.value === "" || line.event === event.value) && fits(line, sought.value));
  const isFiltered = actor.value !== "" || event.value !== "" || sought.value.trim() !== "";
  const showAll = () => {
    actor.value = "";
    event.value = "";
    sought.value = "";
  };
  /** The text that this field has put into the address: text typed since is newer. */
  const asked = useRef(detail);
  useEffect(() => {
    if (detail !== asked.current) sought.value = detail;
    asked.current = detail;
  }, [detail]);
  useEffect(() => {
    const text = sought.value.trim();
    if (text === detail) return;
    const timer = setTimeout(() => {
      asked.current = text;
      replace("audit", text === "" ? undefined : text);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [sought.value]);
  return (
    <div class="audit">
      <p class="quiet">{viewWords.auditTeach}</p>
      <search class="audit-filter">
        <input
          type="search"
          aria-label={viewWords.auditFilter}
          placeholder={viewWords.auditFilterPlaceholder}
          value={sought.value}
          onInput={({ currentTarget }) => {
            sought.value = currentTarget.value;
          }}
        />
        <Select
          name={viewWords.auditActor}
          options={status.value?.channels === undefined ? ACTORS : ACTORS_WITH_CHANNELS}
          textOf={(one) => (one === "" ? viewWords.everyActor : viewWords.processName[one])}
          chosen={actor.value}
          onChoose={(one) => {
            actor.value = one;
          }}
        />
        <Select
          name={viewWords.auditEvent}
          // The chosen event stays in the list while the lines of another process are loaded.
          options={["", ...(events.includes(event.value) || event.value === "" ? [] : [event.value]), ...events]}
          textOf={(one) => one || viewWords.everyEvent}
          chosen={event.value}
          onChoose={(one) => {
            event.value = one;
          }}
        />
      </search>
      {isLooking && lines.length === 0 && <p class="quiet">{words.looking}</p>}
      {!isLooking && shown.length === 0 && (
        <Empty action={isFiltered ? firstWords.allLines : firstWords.sayFirst} does={isFiltered ? showAll : goHome}>
          <p role="status">{viewWords.auditNothing}</p>
        </Empty>
      )}
      <ol class="trail" reversed>
        {shown.map((line) => (
          <li key={`${line.actor} ${line.seq}`} data-event={line.event}>
            <Line line={line} />
          </li>
        ))}
      </ol>
      {bringOlder !== undefined && (
        <button type="button" class="link" onClick={bringOlder}>
          {viewWords.older}
        </button>
      )}
    </div>
  );
}

function Line({ line: { timestamp, actor, event, taskId, failureReason, detail } }: { line: AuditLine }) {
  return (
    <>
      <time dateTime={timestamp} title={timestamp}>
        {momentText(timestamp, nowMs.value)}
      </time>
      <span class="actor" data-actor={actor}>
        {viewWords.processName[actor]}
      </span>
      <code class="event">{event}</code>
      {taskId !== undefined &&
        (TURN_ID.test(taskId) ? (
          <span class="quiet" title={taskId}>
            {words.reply}
          </span>
        ) : (
          <a href={addressOf("tasks", taskId)} title={taskId}>
            {tasks.value.get(taskId)?.title ?? viewWords.task}
          </a>
        ))}
      {failureReason !== undefined && <span class="bad">{failureReason}</span>}
      {detail !== undefined && <span class="quiet detail">{detailText(detail)}</span>}
    </>
  );
}

/** `id: m-1 · characters: 12` */
function detailText(detail: Record<string, unknown>): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" · ");
}

/** Every word of the filter is somewhere in the line. */
function fits(line: AuditLine, filter: string): boolean {
  const { previousHash: _, ...said } = line;
  const text = JSON.stringify(said).toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

interface Trail {
  /** Newest first. */
  lines: readonly AuditLine[];
  isLooking: boolean;
  /** Brings the page before; undefined when there is none. */
  bringOlder: (() => void) | undefined;
}

/** The newest lines, and what is added to them while the view is open. */
function useTrail(actor: AuditLine["actor"] | ""): Trail {
  const lines = useSignal<readonly AuditLine[]>([]);
  const previous = useSignal<string | null>(null);
  const isLooking = useSignal(true);
  const isConnected = connection.value.state === "connected";
  const read = (where: Record<string, string>) => {
    const query = new URLSearchParams({ limit: String(PAGE_LINES), ...(actor !== "" && { actor }), ...where });
    return call<AuditAnswer>("GET", `api/audit?${query}`);
  };
  useEffect(() => {
    if (!isConnected) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isWanted = true;
    let next: string | undefined;
    const look = async () => {
      const answer = await read(next === undefined ? {} : { after: next });
      if (!isWanted) return;
      isLooking.value = false;
      // Without an answer the notice says why, and the view rests until there is a connection again.
      if (answer === undefined) return;
      if (next === undefined) {
        lines.value = answer.entries.toReversed();
        previous.value = answer.previous;
      } else if (answer.entries.length > 0)
        lines.value = [...answer.entries.toReversed(), ...lines.value].slice(0, LINES_MAX);
      next = answer.next;
      timer = setTimeout(() => void look(), LOOK_EVERY_MS);
    };
    void look();
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [actor, isConnected]);
  const before = previous.value;
  return {
    lines: lines.value,
    isLooking: isLooking.value,
    bringOlder:
      before === null || lines.value.length >= LINES_MAX
        ? undefined
        : () =>
            void read({ before }).then((answer) => {
              if (answer === undefined || previous.value !== before) return;
              lines.value = [...lines.value, ...answer.entries.toReversed()].slice(0, LINES_MAX);
              previous.value = answer.previous;
            }),
  };
}
