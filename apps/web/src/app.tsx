/** The page as a whole: the conversation in the middle, the tasks beside it, or the pairing screen instead of both. */
import { Chat } from "./conversation/chat.tsx";
import { Composer } from "./conversation/composer.tsx";
import { Header } from "./frame/header.tsx";
import { Palette } from "./frame/palette.tsx";
import { Rail } from "./frame/rail.tsx";
import { TaskDrawer, TaskPanel } from "./frame/tasks.tsx";
import { words } from "./i18n/words.ts";
import { isBeside, place } from "./model/place.ts";
import { session } from "./model/session.ts";
import { announcement, notice, questions, status } from "./model/state.ts";
import { cancellations } from "./ui/cancel-soon.ts";
import { Cross } from "./ui/icons.tsx";
import { lazily } from "./ui/lazily.tsx";
import { Views } from "./views.tsx";

const Pairing = lazily(async () => (await import("./frame/pairing.tsx")).Pairing);
const Adoption = lazily(async () => (await import("./frame/adoption.tsx")).Adoption);
const DemoBar = lazily(async () => (await import("./demo/demo-bar.tsx")).DemoBar);
const Cancellations = lazily(async () => (await import("./frame/cancellations.tsx")).Cancellations);
const Questions = lazily(async () => (await import("./conversation/questions.tsx")).Questions);

export function App() {
  if (session.value === "unpaired") return <Pairing />;
  // Parts that a view covers are neither seen nor reached.
  const isCovered = place.value.view !== undefined && !isBeside.value;
  return (
    <div class="page" data-beside={isBeside.value}>
      <a class="skip" href="#message">
        {words.skip}
      </a>
      <Header />
      {status.value?.demo === true && <DemoBar />}
      <Rail />
      <main class="column" inert={isCovered}>
        <Chat />
        {status.value?.adopted === false && <Adoption />}
        {questions.value.size > 0 && <Questions />}
        {!isCovered && <Said />}
        <Composer />
      </main>
      {!isBeside.value && <TaskPanel isCovered={isCovered} />}
      <Views />
      {isCovered && <Said />}
      <TaskDrawer />
      <Palette />
      <div class="unseen" aria-live="polite">
        {announcement.value}
      </div>
    </div>
  );
}

/** Cancellations that can still be taken back, and the notice of an error. */
function Said() {
  if (notice.value === undefined && cancellations.value.length === 0) return null;
  return (
    <div class="said">
      {cancellations.value.length > 0 && <Cancellations />}
      <Notice />
    </div>
  );
}

function Notice() {
  if (notice.value === undefined) return null;
  return (
    <div class="notice" role="alert">
      <span class="what">{notice.value}</span>
      <button
        type="button"
        class="plain"
        aria-label={words.dismiss}
        onClick={() => {
          notice.value = undefined;
        }}
      >
        <Cross />
      </button>
    </div>
  );
}
