/**
 * The ordered events of one life of the gateway. A cursor names the last event that a client has: `<incarnation>-<n>`.
 * Another incarnation's cursor says nothing here, so a client that comes back after a restart starts from a snapshot.
 */

/** A client that was away longer than this gets a snapshot, which is shorter by then. */
const EVENTS_MAX = 1_000;
const EVENTS_BYTES_MAX = 8 * 1_048_576;
/** More than this at once would look like a client that does not read. */
export const REPLAY_BYTES_MAX = 524_288;

export class EventLog {
  private readonly incarnation: string;
  private frames: { number: number; text: string; bytes: number }[] = [];
  private bytes = 0;
  private last = 0;

  constructor(incarnation: string) {
    this.incarnation = incarnation;
  }

  /** The cursor of the newest event. */
  get cursor(): string {
    return `${this.incarnation}-${this.last}`;
  }

  /** Gives an event its place and returns it as the frame to send. */
  append(event: { type: string; data: unknown }): string {
    this.last++;
    const text = JSON.stringify({ type: event.type, cursor: this.cursor, data: event.data });
    const bytes = Buffer.byteLength(text);
    this.frames.push({ number: this.last, text, bytes });
    this.bytes += bytes;
    while (this.frames.length > EVENTS_MAX || this.bytes > EVENTS_BYTES_MAX)
      this.bytes -= this.frames.shift()?.bytes ?? 0;
    return text;
  }

  /** The frames after a cursor, in order; null when they are not all here any more, or too many to send at once. */
  since(cursor: string): string[] | null {
    const [incarnation, number, ...rest] = cursor.split("-");
    if (incarnation !== this.incarnation || rest.length > 0 || !/^\d{1,15}$/.test(number ?? "")) return null;
    const seen = Number(number);
    if (seen > this.last || seen < this.last - this.frames.length) return null;
    const missed = this.frames.filter((frame) => frame.number > seen);
    const bytes = missed.reduce((sum, frame) => sum + frame.bytes, 0);
    return bytes > REPLAY_BYTES_MAX ? null : missed.map((frame) => frame.text);
  }
}
