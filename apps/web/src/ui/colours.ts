/** Light or dark: as the device has it, or as the reader has chosen for this browser. */
import { signal } from "@preact/signals";
import { store } from "../storage/storage.ts";

const KEY = "mimikit.colours";

/** `auto`: as the device has it. */
export const COLOURS = ["auto", "light", "dark"] as const;
export type Colours = (typeof COLOURS)[number];

export const colours = signal<Colours>(COLOURS.find((one) => one === localStorage.getItem(KEY)) ?? "auto");

/** Paints the page as it was chosen. */
export function paint(): void {
  document.documentElement.dataset.colours = colours.value;
}

/** Keeps the choice, and paints the page again. */
export function chooseColours(chosen: Colours): void {
  store(KEY, chosen);
  colours.value = chosen;
  paint();
}
