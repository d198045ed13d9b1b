/** The name of a browser in the list of devices: "Firefox on Android". The browser says it of itself, so it proves nothing. */

/** Those that name others too come first: Edge and Opera say Chrome, and Chrome says Safari. */
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
/** An iPhone says Mac OS X, and Android says Linux. */
const SYSTEMS: readonly [RegExp, string][] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "Mac"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** @param userAgent the header of that name. */
export function deviceName(userAgent: string | undefined): string {
  const known = (all: readonly [RegExp, string][]) => all.find(([pattern]) => pattern.test(userAgent ?? ""))?.[1];
  const [browser, system] = [known(BROWSERS), known(SYSTEMS)];
  return [browser ?? "a browser", system].filter((part) => part !== undefined).join(" on ");
}
