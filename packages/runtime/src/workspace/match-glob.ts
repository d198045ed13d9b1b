/**
 * Does a glob match a path? Decided in one pass, with all possible matches side by side: globs come from models and
 * names from anywhere, and no two of them may make each other take for ever, as backtracking would.
 */

/** The needs of one step: a character, and the next state. */
interface Step {
  accepts(char: string): boolean;
  to: number;
  /** It may be the dot that a name begins with. */
  saysDot: boolean;
}

/** A place between two characters of the glob. */
interface Place {
  steps: Step[];
  /** Places that it is, too, without any character. */
  same: number[];
}

/**
 * `*`, `?`, `[a-z]`, `[!a]` and `{a,b}` stay within one name, `**` is any number of directories, a backslash takes the
 * meaning from the character after it. A name that begins with a dot is matched only where the glob says the dot.
 */
export function matchGlob(glob: string): (path: string) => boolean {
  const { places, end } = new Reading(glob);
  return (path) => {
    let here = closure([0], places);
    let startsName = true;
    for (const char of path) {
      const next: number[] = [];
      for (const at of here)
        for (const { accepts, to, saysDot } of places[at]?.steps ?? [])
          if (accepts(char) && (saysDot || !startsName || char !== ".")) next.push(to);
      if (next.length === 0) return false;
      here = closure(next, places);
      startsName = char === "/";
    }
    return here.has(end);
  };
}

/** These places, and all that they are, too. */
function closure(at: readonly number[], places: readonly Place[]): Set<number> {
  const all = new Set(at);
  // A set that grows while it is walked is walked to its end.
  for (const each of all) for (const same of places[each]?.same ?? []) all.add(same);
  return all;
}

const inName = (char: string) => char !== "/";
const isSlash = (char: string) => char === "/";

/** Reads a glob once, from its beginning to its end; each part of it goes on from the place where the one before ended. */
class Reading {
  readonly places: Place[] = [];
  readonly end: number;
  private readonly chars: readonly string[];
  private next = 0;

  constructor(glob: string) {
    this.chars = [...glob];
    this.end = this.readPart(this.addPlace(), true, false);
  }

  /**
   * Reads up to the end or, within a choice, up to what ends this way of it; returns where that leads.
   * @param startsName a name begins at `from`.
   */
  private readPart(from: number, startsName: boolean, isChoice: boolean): number {
    let at = from;
    let isStart = startsName;
    for (;;) {
      const char = this.chars[this.next];
      if (char === undefined || (isChoice && (char === "," || char === "}"))) return at;
      if (isStart && this.isDeep()) {
        at = this.readDeep(at);
        continue;
      }
      const choiceEnd = char === "{" ? this.endOfChoice() : null;
      if (char === "*") at = this.readStar(at);
      else if (choiceEnd !== null) at = this.readChoice(at, isStart, choiceEnd);
      else at = this.readOne(at, isStart);
      isStart = char === "/";
    }
  }

  /** Is this `**` all that there is of a name? */
  private isDeep(): boolean {
    const [first, second, after = "/"] = this.chars.slice(this.next, this.next + 3);
    return first === "*" && second === "*" && "/,}".includes(after);
  }

  /** Any number of directories, each with its slash; at the end also what is in them. */
  private readDeep(from: number): number {
    const isInside = this.chars[this.next + 2] === "/";
    this.next += isInside ? 3 : 2;
    const within = this.addPlace();
    const after = this.addPlace();
    this.addStep(from, inName, within);
    this.addStep(within, inName, within);
    this.addStep(within, isSlash, from);
    this.places[isInside ? from : within]?.same.push(after);
    return after;
  }

  private readStar(from: number): number {
    this.next++;
    const after = this.addPlace();
    this.addStep(from, inName, from);
    this.places[from]?.same.push(after);
    return after;
  }

  private readChoice(from: number, startsName: boolean, end: number): number {
    const after = this.addPlace();
    while (this.next < end) {
      // Past the brace, or the comma.
      this.next++;
      const way = this.addPlace();
      this.places[from]?.same.push(way);
      const last = this.readPart(way, startsName, true);
      this.places[last]?.same.push(after);
    }
    this.next++;
    return after;
  }

  /** One character, or one of several. */
  private readOne(from: number, startsName: boolean): number {
    const after = this.addPlace();
    const char = this.chars[this.next++] ?? "";
    const several = char === "?" ? inName : char === "[" ? this.readClass() : null;
    if (several !== null) {
      this.addStep(from, several, after);
      return after;
    }
    const said = char === "\\" ? (this.chars[this.next++] ?? char) : char;
    this.addStep(from, (each) => each === said, after, startsName);
    return after;
  }

  /** The class between brackets, without the first of them; null if it is not closed. */
  private readClass(): ((char: string) => boolean) | null {
    const { chars } = this;
    const isNot = chars[this.next] === "!" || chars[this.next] === "^";
    const first = this.next + (isNot ? 1 : 0);
    const ranges: { low: string; high: string }[] = [];
    for (let i = first; ; i++) {
      const isEscaped = chars[i] === "\\";
      if (isEscaped) i++;
      const low = chars[i];
      if (low === undefined) return null;
      if (low === "]" && !isEscaped && i > first) {
        this.next = i + 1;
        return (char) => char !== "/" && ranges.some((range) => char >= range.low && char <= range.high) !== isNot;
      }
      const high = chars[i + 2];
      const isRange = chars[i + 1] === "-" && high !== undefined && high !== "]";
      ranges.push({ low, high: isRange ? high : low });
      if (isRange) i += 2;
    }
  }

  /** Where the choice ends that begins here; null where it is none: braces that hold no comma are part of a name. */
  private endOfChoice(): number | null {
    let depth = 0;
    let hasComma = false;
    for (let i = this.next; i < this.chars.length; i++) {
      const char = this.chars[i];
      if (char === "\\") i++;
      else if (char === "{") depth++;
      else if (char === "," && depth === 1) hasComma = true;
      else if (char === "}" && --depth === 0) return hasComma ? i : null;
    }
    return null;
  }

  private addPlace(): number {
    return this.places.push({ steps: [], same: [] }) - 1;
  }

  private addStep(from: number, accepts: Step["accepts"], to: number, saysDot = false): void {
    this.places[from]?.steps.push({ accepts, to, saysDot });
  }
}
