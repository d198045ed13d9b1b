/** Reads a QR code, as the camera of a phone does. */
import { createRequire } from "node:module";

// Its types say that it is a module with a default, and it is a function.
const jsQR = createRequire(import.meta.url)("jsqr") as typeof import("jsqr")["default"];

/** @param pixels four bytes for each, row by row. @returns the text, or undefined where no code is seen. */
export function readQrCode(pixels: Uint8ClampedArray, width: number, height: number): string | undefined {
  return jsQR(pixels, width, height, { inversionAttempts: "dontInvert" })?.data;
}
