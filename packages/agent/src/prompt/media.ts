/** The evidence that a model is shown: as much as it can take in, in a form that it accepts. */
import { readFile } from "node:fs/promises";
import { type AttachmentType, isImage } from "@mimikit/protocol/base/attachment";
import type { Run } from "../provider.ts";
import type { AttachmentEvidence } from "./evidence.ts";

/** In one request; the first ones are meant. */
export const IMAGES_MAX = 4;
/** In base64 it is 5 MB, which endpoints take as a rule. */
export const IMAGE_BYTES_MAX = 3_932_160;
export const RECORDINGS_MAX = 2;
export const RECORDING_BYTES_MAX = 10 * 1_048_576;
/** The estimated tokens of one: most models cut a picture into some tiles, whatever its size. */
export const MEDIA_TOKENS = 1_500;

/** The formats of Chat Completions' `input_audio`. */
const RECORDING_TYPES: readonly AttachmentType[] = ["audio/wav", "audio/mpeg"];

/** The inputs of a model beside text. */
export interface Senses {
  vision: boolean;
  audio: boolean;
}

export const NO_SENSES: Senses = { vision: false, audio: false };

/** A file as a request holds it. */
export interface Media {
  type: AttachmentType;
  /** The bytes in base64. */
  data: string;
}

/** The same evidence, in which what is shown says so, under a name of its own. @param countMax of pictures and recordings together. */
export function chooseShown(
  evidence: readonly AttachmentEvidence[],
  { vision, audio }: Senses,
  countMax = IMAGES_MAX + RECORDINGS_MAX,
): AttachmentEvidence[] {
  const left = { images: vision ? IMAGES_MAX : 0, recordings: audio ? RECORDINGS_MAX : 0, all: countMax };
  return evidence.map((each) => {
    const { type, bytes } = each.file;
    if (each.path === null || left.all === 0) return each;
    if (isImage(type) && bytes <= IMAGE_BYTES_MAX && left.images > 0) {
      left.all--;
      return { ...each, shownAs: `picture ${IMAGES_MAX - --left.images}` };
    }
    if (RECORDING_TYPES.includes(type) && bytes <= RECORDING_BYTES_MAX && left.recordings > 0) {
      left.all--;
      return { ...each, shownAs: `recording ${RECORDINGS_MAX - --left.recordings}` };
    }
    return each;
  });
}

/** The run in which its model is shown what it can take in. */
export function showing(run: Run, senses: Senses): Run {
  const { evidence } = run.context;
  if (evidence === undefined) return run;
  return { ...run, context: { ...run.context, evidence: chooseShown(evidence, senses) } };
}

/** Reads what is shown, in its order. Throws what the disk throws. */
export async function loadMedia(evidence: readonly AttachmentEvidence[]): Promise<Media[]> {
  const shown = evidence.flatMap(({ file, path, shownAs }) =>
    shownAs === undefined || path === null ? [] : [{ type: file.type, path }],
  );
  return Promise.all(shown.map(async ({ type, path }) => ({ type, data: await readFile(path, "base64") })));
}
