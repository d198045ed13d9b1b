/** The page as a whole: the conversation in the middle, the tasks beside it, or the pairing screen instead of both. */
import { Chat } from "./chat.tsx";
import { Composer } from "./composer.tsx";
import { Header } from "./header.tsx";
import { Cross } from "./icons.tsx";
import { Pairing } from "./pairing.tsx";
import { Questions } from "./questions.tsx";
import { session } from "./session.ts";
import { announcement, notice } from "./state.ts";
import { TaskDrawer, TaskPanel } from "./tasks.tsx";
import { words } from "./words.ts";

export function App() {
  if (session.value === "unpaired") return <Pairing />;
  return (
    <div class="page">
      <a class="skip" href="#message">
        {words.skip}
      </a>
      <Header />
      <main class="column">
        <Chat />
        <Questions />
        <Notice />
        <Composer />
      </main>
      <TaskPanel />
      <TaskDrawer />
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
