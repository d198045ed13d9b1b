/** Says that this is a demo, kills a process of it when asked to, and says what came of that. */
import type { DemoKill, DemoReport } from "@mimikit/protocol/wire/demo";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask } from "../model/call.ts";
import { Select } from "../ui/select.tsx";
import "./demo.css";
import { demoWords } from "./demo-words.ts";

const ROLES = ["workers", "supervisor", "gateway"] as const satisfies readonly DemoKill["role"][];
const LOOK_EVERY_MS = 300;
/** The command gives a killed role less time than this. */
const BACK_MS_MAX = 120_000;

export function DemoBar() {
  const isLive = useSignal<boolean | undefined>(undefined);
  const role = useSignal<DemoKill["role"]>(ROLES[0]);
  const last = useSignal<DemoKill | undefined>(undefined);
  const isWaiting = useSignal(false);
  const problem = useSignal<string | undefined>(undefined);

  /** Looks until there is a kill that is over, and not the one before. The gateway may be the one that is gone. */
  const follow = async (before: DemoKill | undefined) => {
    isWaiting.value = true;
    for (const end = Date.now() + BACK_MS_MAX; Date.now() < end; await pause(LOOK_EVERY_MS)) {
      const asked = await ask<DemoReport>("GET", "api/demo");
      const now = "answer" in asked ? asked.answer.kills.at(-1) : undefined;
      if (now === undefined || now.at === before?.at) continue;
      last.value = now;
      if (now.after === undefined) continue;
      isWaiting.value = false;
      return;
    }
    isWaiting.value = false;
    problem.value = demoWords.silent;
  };
  const kill = async () => {
    const before = last.value;
    problem.value = undefined;
    isWaiting.value = true;
    const asked = await ask<object>("POST", "api/demo/kill", { kill: role.value });
    if ("refusal" in asked) {
      isWaiting.value = false;
      problem.value = asked.refusal;
      return;
    }
    await follow(before);
    role.value = ROLES[(ROLES.indexOf(role.value) + 1) % ROLES.length] ?? ROLES[0];
  };
  useEffect(() => {
    void ask<DemoReport>("GET", "api/demo").then((asked) => {
      if (!("answer" in asked)) return;
      last.value = asked.answer.kills.at(-1);
      isLive.value = asked.answer.recordedAt === undefined;
      if (last.value !== undefined && last.value.after === undefined) void follow(undefined);
    });
  }, []);

  return (
    <aside class="demo" aria-label={demoWords.title}>
      <p>{isLive.value === false ? demoWords.recorded : demoWords.text}</p>
      {isLive.value === true && (
        <>
          <Select
            name={demoWords.which}
            options={ROLES}
            textOf={demoWords.role}
            chosen={role.value}
            onChoose={(chosen) => {
              role.value = chosen;
            }}
          />
          <button type="button" disabled={isWaiting.value} onClick={() => void kill()}>
            {demoWords.kill}
          </button>
        </>
      )}
      <p class="what" role="status">
        {problem.value ?? (last.value !== undefined && textOf(last.value))}
      </p>
    </aside>
  );
}

function textOf(kill: DemoKill): string {
  const { after } = kill;
  if (after === undefined) return `${demoWords.killed(kill)} ${demoWords.waiting}`;
  const { backMs, goOn, givenUp, tasks, messages, broken } = after;
  const isWhole = goOn + givenUp === kill.running && tasks.there === tasks.before && messages.there === messages.before;
  return [
    demoWords.killed(kill),
    demoWords.back(backMs),
    isWhole ? demoWords.whole : demoWords.lost,
    demoWords.there(after, kill.running),
    ...(givenUp > 0 ? [demoWords.givenUp(givenUp)] : []),
    broken.length === 0 ? demoWords.once : demoWords.broken(broken),
  ].join(" ");
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
