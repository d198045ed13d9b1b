import { Circuit, Circuits, FAILURES_IN_A_ROW_MAX, type ProviderVerdict, type Tell } from "@mimikit/agent/run/circuit";
import { describe, expect, test } from "vitest";

const COOLDOWN = { first: 5_000, max: 60_000 };

function circuit() {
  return new Circuit(() => COOLDOWN);
}

/** Lets a run in; fails where there is no way in. */
function enter(it: Circuit, nowMs: number): Tell {
  const tell = it.enter(nowMs);
  if (tell === null) throw new Error(`not let in at ${nowMs}`);
  return tell;
}

function runs(it: Circuit, nowMs: number, ...verdicts: ProviderVerdict[]): void {
  for (const verdict of verdicts) enter(it, nowMs)(verdict, nowMs, { error: `it was ${verdict}` });
}

describe("a circuit", () => {
  test("opens at an outage, and says why", () => {
    const it = circuit();
    runs(it, 0, "reached", "outage");
    expect(it.stateAt(4_999)).toBe("open");
    expect(it.enter(4_999)).toBeNull();
    expect(it.trouble.error).toBe("it was outage");
  });

  test("opens after so many failures in a row, not before, and not where one between was reached", () => {
    const it = circuit();
    const some = Array<ProviderVerdict>(FAILURES_IN_A_ROW_MAX - 1).fill("failed");
    runs(it, 0, ...some, "reached", ...some);
    expect(it.stateAt(0)).toBe("closed");
    runs(it, 0, "failed");
    expect(it.stateAt(0)).toBe("open");
  });

  test("lets one run try when it has cooled down, and nobody else meanwhile", () => {
    const it = circuit();
    runs(it, 0, "outage");
    expect(it.stateAt(5_000)).toBe("trial");
    enter(it, 5_000);
    expect(it.stateAt(1_000_000)).toBe("open");
    expect(it.enter(1_000_000)).toBeNull();
  });

  test("closes when the trial reaches somebody", () => {
    const it = circuit();
    runs(it, 0, "outage");
    runs(it, 5_000, "reached");
    expect(it.stateAt(5_000)).toBe("closed");
    expect(it.trouble.error).toBe("");
  });

  test("cools down for twice as long after each trial that fails, up to the most", () => {
    const it = circuit();
    const waits: number[] = [];
    let nowMs = 0;
    runs(it, nowMs, "outage");
    for (let trial = 0; trial < 6; trial++) {
      const since = nowMs;
      while (it.stateAt(nowMs) === "open") nowMs += 1_000;
      waits.push(nowMs - since);
      runs(it, nowMs, trial % 2 === 0 ? "outage" : "failed");
    }
    expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  test("begins with the short pause again after it was closed", () => {
    const it = circuit();
    runs(it, 0, "outage");
    runs(it, 5_000, "outage");
    runs(it, 15_000, "reached", "outage");
    expect(it.stateAt(20_000)).toBe("trial");
  });

  test("takes runs that began together and fail together for one outage", () => {
    const it = circuit();
    const tells = [enter(it, 0), enter(it, 0), enter(it, 0)];
    for (const tell of tells) tell("outage", 0, { error: "away" });
    expect(it.stateAt(5_000)).toBe("trial");
  });

  test("closes with the first word of its trial; where that breaks off it cools down for twice as long all the same", () => {
    const it = circuit();
    runs(it, 0, "outage");
    const tell = enter(it, 5_000);
    tell("answering", 6_000);
    expect(it.stateAt(6_000)).toBe("closed");
    tell("outage", 7_000, { error: "broke off" });
    expect(it.stateAt(16_999)).toBe("open");
    expect(it.stateAt(17_000)).toBe("trial");
  });

  test("is tried by one run only, whatever an earlier trial that has been answered comes to meanwhile", () => {
    const it = circuit();
    runs(it, 0, "outage");
    const earlier = enter(it, 5_000);
    earlier("answering", 5_000);
    runs(it, 6_000, "outage");
    enter(it, 16_000);
    earlier("unknown", 16_000);
    expect(it.stateAt(16_000)).toBe("open");
  });

  test("is open for another trial when the one before was stopped before it could tell", () => {
    const it = circuit();
    runs(it, 0, "outage");
    runs(it, 5_000, "unknown");
    expect(it.stateAt(5_000)).toBe("trial");
  });
});

describe("the circuits of all providers", () => {
  test("say which are open, why and for how long, and when that has changed", () => {
    let changes = 0;
    const circuits = new Circuits(
      () => COOLDOWN,
      () => void changes++,
    );
    runs(circuits.of("one"), 0, "reached", "failed");
    expect([circuits.open(0), changes]).toEqual([[], 0]);
    runs(circuits.of("one"), 0, "outage");
    expect(circuits.open(1_000)).toEqual([{ provider: "one", reason: "it was outage", remainingMs: 4_000 }]);
    expect(circuits.open(9_000)[0]?.remainingMs).toBe(0);
    runs(circuits.of("one"), 9_000, "outage");
    expect([circuits.open(9_000)[0]?.remainingMs, changes]).toEqual([10_000, 2]);
    runs(circuits.of("one"), 19_000, "reached");
    expect([circuits.open(19_000), changes]).toEqual([[], 3]);
  });

  test("forget everything at once, and say so only where that is news", () => {
    let changes = 0;
    const circuits = new Circuits(
      () => COOLDOWN,
      () => void changes++,
    );
    circuits.reset();
    runs(circuits.of("one"), 0, "outage");
    circuits.reset();
    expect([circuits.open(0), circuits.of("one").stateAt(0), changes]).toEqual([[], "closed", 2]);
    circuits.reset();
    expect(changes).toBe(2);
  });
});

describe("a rate limit", () => {
  const opus = { name: "anthropic", model: "opus" };
  const haiku = { name: "anthropic", model: "haiku" };
  const limited = (circuits: Circuits, nowMs: number, retryAfterMs?: number) =>
    circuits.enter(opus, nowMs)?.("limited", nowMs, {
      error: "slow down",
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  const begin = () => new Circuits(() => COOLDOWN);

  test("keeps its model waiting for as long as it says, and no other model of the provider", () => {
    const circuits = begin();
    limited(circuits, 0, 3_600_000);
    expect(circuits.stateAt(opus, 3_599_000)).toBe("open");
    expect(circuits.enter(opus, 3_599_000)).toBeNull();
    expect(circuits.troubleOf(opus, 0)).toMatchObject({ error: "slow down" });
    expect(circuits.stateAt(haiku, 0)).toBe("closed");
    expect(circuits.open(0)).toMatchObject([{ provider: "anthropic", reason: "slow down" }]);
    expect(circuits.stateAt(opus, 3_600_000)).toBe("trial");
    circuits.enter(opus, 3_600_000)?.("reached", 3_600_000);
    expect([circuits.stateAt(opus, 3_600_000), circuits.open(3_600_000)]).toEqual(["closed", []]);
  });

  test("that names no end is waited for as an outage is, a little longer each time", () => {
    const circuits = begin();
    limited(circuits, 0);
    expect(circuits.stateAt(opus, 4_999)).toBe("open");
    limited(circuits, 5_000);
    expect([circuits.stateAt(opus, 14_999), circuits.stateAt(opus, 15_000)]).toEqual(["open", "trial"]);
  });

  test("ends at its moment on the wall clock too, as on a machine that has slept", () => {
    let wallMs = 0;
    const it = new Circuit(
      () => COOLDOWN,
      () => {},
      () => wallMs,
    );
    enter(it, 0)("limited", 0, { error: "slow down", retryAfterMs: 3_600_000 });
    expect(it.stateAt(1_000)).toBe("open");
    wallMs = 3_600_000;
    expect(it.stateAt(1_000)).toBe("trial");
  });

  test("is over at once when somebody wants that", () => {
    const circuits = begin();
    limited(circuits, 0, 3_600_000);
    circuits.reset();
    expect(circuits.stateAt(opus, 0)).toBe("closed");
  });
});
