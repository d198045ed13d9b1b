/** Wall clocks of every zone, found by asking the runtime for offsets: independent of whatever computes occurrences. */

/** An instant at which the offset of a zone changes; offsets in milliseconds east of UTC. */
export interface Edge {
  ms: number;
  before: number;
  after: number;
}

export const ZONES: readonly string[] = Intl.supportedValuesOf("timeZone");

/** Edges are known in these years, one more on each side than schedules are drawn in, for clocks that jump by a year. */
const KNOWN_FROM_MS = Date.UTC(2024, 0, 1);
const KNOWN_TO_MS = Date.UTC(2033, 0, 1);
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

export class Zone {
  readonly name: string;
  /** Oldest first. */
  readonly edges: readonly Edge[];
  private readonly firstOffset: number;

  constructor(name: string) {
    this.name = name;
    const offsetAt = offsetsOf(name);
    this.firstOffset = offsetAt(KNOWN_FROM_MS);
    this.edges = edgesOf(offsetAt);
  }

  /** Milliseconds east of UTC. */
  offsetAt(ms: number): number {
    let offset = this.firstOffset;
    for (const edge of this.edges) {
      if (edge.ms > ms) break;
      offset = edge.after;
    }
    return offset;
  }

  /** The instants at which the wall shows this time (as if it were UTC): none in a gap, two in what is repeated. */
  instantsOf(wallMs: number): number[] {
    const near = this.edges.filter(({ ms }) => Math.abs(ms - wallMs) < 3 * DAY_MS);
    const offsets = new Set([this.offsetAt(wallMs), ...near.flatMap(({ before, after }) => [before, after])]);
    return [...offsets]
      .map((offset) => wallMs - offset)
      .filter((ms) => ms + this.offsetAt(ms) === wallMs)
      .sort((a, b) => a - b);
  }

  /** The first instant after the gap that swallows this time of the wall, on its day; null when there is none. */
  afterGap(wallMs: number): number | null {
    const gap = this.edges.find(({ ms, before, after }) => ms + before <= wallMs && wallMs < ms + after);
    const isOnDay = gap !== undefined && Math.floor((gap.ms + gap.after) / DAY_MS) === Math.floor(wallMs / DAY_MS);
    return isOnDay ? gap.ms : null;
  }
}

/** Somewhere in the world at a moment that matters: an edge of its zone or, where there is none, any moment. */
export interface Place {
  zone: Zone;
  ms: number;
}

const PLACES_FROM_MS = Date.UTC(2026, 0, 1);
const PLACES_TO_MS = Date.UTC(2031, 0, 1);

let places: readonly Place[] | undefined;

/** Every edge of every zone from 2026 to 2030, and one moment in each zone that has none. */
export function allPlaces(): readonly Place[] {
  places ??= ZONES.map(zoneOf).flatMap((zone): Place[] => {
    const edges = zone.edges.filter(({ ms }) => ms >= PLACES_FROM_MS && ms < PLACES_TO_MS);
    return edges.length === 0 ? [{ zone, ms: Date.UTC(2028, 1, 29) }] : edges.map(({ ms }) => ({ zone, ms }));
  });
  return places;
}

/** Neighbours in number are far apart in the world; as many seeds as there are places see each of them once. */
const STRIDE = 997;

export function placeOf(seed: number): Place {
  const all = allPlaces();
  const place = all[(seed * STRIDE) % all.length];
  if (place === undefined) throw new Error("there is no place in the world");
  return place;
}

const zones = new Map<string, Zone>();

export function zoneOf(name: string): Zone {
  const known = zones.get(name) ?? new Zone(name);
  zones.set(name, known);
  return known;
}

function offsetsOf(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (ms) => {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - ms;
  };
}

/** No zone changes its offset and back within a week: the weeks are looked at, and the change is found between two of them. */
function edgesOf(offsetAt: (ms: number) => number): Edge[] {
  const edges: Edge[] = [];
  let before = offsetAt(KNOWN_FROM_MS);
  for (let weekMs = KNOWN_FROM_MS; weekMs < KNOWN_TO_MS; weekMs += WEEK_MS) {
    const after = offsetAt(weekMs + WEEK_MS);
    if (after === before) continue;
    let low = weekMs;
    let high = weekMs + WEEK_MS;
    while (high - low > 1_000) {
      const middle = low + Math.floor((high - low) / 2_000) * 1_000;
      if (offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    edges.push({ ms: high, before, after });
    before = after;
  }
  return edges;
}
