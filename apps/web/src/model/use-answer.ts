/** A request of a view to the gateway while it is open. */
import { useEffect, useState } from "preact/hooks";
import { call } from "./call.ts";
import { connection } from "./connection.ts";

export interface AnswerState<T> {
  answer: T | undefined;
  isLooking: boolean;
}

/**
 * The answer to a GET, asked again when `path` or `version` changes and after a lost connection has come back; the last answer
 * stays until the next one is here. Nothing is asked while `path` is undefined. Why there is none is said by the notice.
 */
export function useAnswer<T>(path: string | undefined, version?: unknown): AnswerState<T> {
  const [asked, setAsked] = useState<AnswerState<T> & { of: string | undefined }>({
    answer: undefined,
    isLooking: path !== undefined,
    of: path,
  });
  const isConnected = connection.value.state === "connected";
  useEffect(() => {
    if (path === undefined || !isConnected) return;
    let isWanted = true;
    setAsked((last) => ({ answer: last.of === path ? last.answer : undefined, isLooking: true, of: path }));
    void call<T>("GET", path).then((answer) => {
      if (isWanted) setAsked((last) => ({ answer: answer ?? last.answer, isLooking: false, of: path }));
    });
    return () => {
      isWanted = false;
    };
  }, [path, version, isConnected]);
  return path === asked.of ? asked : { answer: undefined, isLooking: path !== undefined };
}
