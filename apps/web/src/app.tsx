/** The page as a whole: the conversation in the middle, the tasks beside it, or the pairing screen instead of both. */
import { Chat } from "./chat.tsx";
import { Composer } from "./composer.tsx";
import { Header } from "./header.tsx";
import { Cross } from "./icons.tsx";
import { lazily } from "./lazily.tsx";
import { Palette } from "./palette.tsx";
import { place } from "./place.ts";
import { session } from "./session.ts";
import { announcement, notice, questions, status } from "./state.ts";
import { TaskDrawer, TaskPanel } from "./tasks.tsx";
import { Views } from "./views.tsx";
import { words } from "./words.ts";

const Pairing = lazily(async () => (await import("./pairing.tsx")).Pairing);
const Adoption = lazily(async () => (await import("./adoption.tsx")).Adoption);
const Questions = lazily(async () => (await import("./questions.tsx")).Questions);

export function App() {
  if (session.value === "unpaired") return <Pairing />;
  // What a view covers is neither seen nor reached.
  const isCovered = place.value.view !== undefined;
  return (
    <div class="page">
      <a class="skip" href="#message">
        {words.skip}
      </a>
      <Header />
      <main class="column" inert={isCovered}>
        <Chat />
        {status.value?.adopted === false && <Adoption />}
        {questions.value.size > 0 && <Questions />}
        {!isCovered && <Notice />}
        <Composer />
      </main>
      <TaskPanel isCovered={isCovered} />
      <Views />
      {isCovered && <Notice />}
      <TaskDrawer />
      <Palette />
      <div class="unseen" aria-live="polite">
        {announcement.value}
      </div>
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
