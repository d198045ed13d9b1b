/** Starts the page: redeems a pairing code that came with the address, connects, and draws. */
// Before what the parts bring along: they say more of the same things.
import "./style.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { acceptDrops } from "./conversation/drafted-files.ts";
import { startNotifying } from "./frame/notifications.ts";
import { words } from "./i18n/words.ts";
import { loadTexts } from "./model/call.ts";
import { startClock } from "./model/clock.ts";
import { connect, connectNow } from "./model/connection.ts";
import { redeem } from "./model/redeem.ts";
import { takeCodeFromAddress } from "./model/session.ts";
import { paint } from "./ui/colours.ts";

/** Connects, with the code in the address if there is one. It leaves the address before anything else happens. */
async function start(): Promise<void> {
  const code = takeCodeFromAddress();
  await loadTexts();
  if (code === undefined || !(await redeem(code))) await connect();
}

document.documentElement.lang = words.language;
paint();
startClock();
acceptDrops();
startNotifying();
void start();
// A new pairing address in a tab that is open already changes only the fragment.
addEventListener("hashchange", () => {
  const code = takeCodeFromAddress();
  if (code !== undefined) void redeem(code);
});
addEventListener("online", connectNow);
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") connectNow();
});

const root = document.getElementById("app");
if (!root) throw new Error("index.html has no #app");
render(<App />, root);
